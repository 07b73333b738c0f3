// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/masks/MaskMatrixPainter.h"

#include <QFontMetricsF>
#include <QObject>

#include <algorithm>

#include "ui/base/Colors.h"
#include "ui/masks/MaskAppearance.h"

namespace headlight {
namespace {

constexpr double kRound = 3;
constexpr double kNumberRoom = 52;  ///< of a cell's width, for its mask's letter and window

/// ".25"; near 1 a digit less, as wide.
QString alphaText(double alpha) {
  const QString text = QString::number(alpha, 'f', 2);
  return text.startsWith(QLatin1Char('0')) ? text.mid(1) : QString::number(alpha, 'f', 1);
}

QString cellNumber(const MatrixCell& cell) {
  if (cell.mask.kind != MaskKind::Soft) return maskNumber(cell.mask);
  return alphaText(cell.alpha.value_or(static_cast<float>(cell.mask.alpha)));
}

QFont boldened(QFont font, bool bold = true) {
  font.setBold(bold);
  return font;
}

}  // namespace

MaskMatrixPainter::MaskMatrixPainter(QPainter* painter, const QPalette& palette, const QFont& font)
    : m_painter(painter),
      m_palette(palette),
      m_font(font),
      m_ink(palette.color(QPalette::Text)),
      m_paper(palette.color(QPalette::Window)),
      m_highlight(palette.color(QPalette::Highlight)) {
  m_painter->setRenderHint(QPainter::Antialiasing);
}

void MaskMatrixPainter::drawCell(const QRect& rect, const MatrixCell& cell) {
  const QRectF box = QRectF(rect).adjusted(1.5, 1.5, -1.5, -1.5);
  drawGround(box, cell);
  drawThumbnail(box, cell);
  const QRectF words = box.adjusted(cell.thumbnailSide, 0, 0, 0);
  if (cell.maskable) drawText(words, cell);  // else the hatching says it
  drawBar(words, cell);
  drawNumber(words, cell);
  drawMarks(box, cell);
}

/// In the middle of its room, as high and wide as it is.
void MaskMatrixPainter::drawThumbnail(const QRectF& box, const MatrixCell& cell) {
  if (cell.thumbnail.isNull()) return;
  QSizeF size = cell.thumbnail.size();
  size.scale(cell.thumbnailSide, cell.thumbnailSide, Qt::KeepAspectRatio);
  QRectF target(QPointF(), size);
  target.moveCenter({box.left() + 3 + cell.thumbnailSide / 2.0, box.center().y()});
  m_painter->save();
  m_painter->setRenderHint(QPainter::SmoothPixmapTransform);
  m_painter->drawImage(target, cell.thumbnail);
  m_painter->restore();
}

QColor MaskMatrixPainter::cellFill(const MatrixCell& cell) const {
  const QColor fill = maskTint(cell.mask.kind, m_palette);
  return cell.hovered && cell.maskable ? mixed(fill, m_ink, 0.1) : fill;
}

void MaskMatrixPainter::drawGround(const QRectF& box, const MatrixCell& cell) {
  m_painter->setPen(Qt::NoPen);
  m_painter->setBrush(cellFill(cell));
  m_painter->drawRoundedRect(box, kRound, kRound);
  if (cell.maskable) return;
  m_painter->setBrush(QBrush(mixed(cellFill(cell), m_ink, 0.2), Qt::BDiagPattern));
  m_painter->drawRoundedRect(box, kRound, kRound);
}

void MaskMatrixPainter::drawText(const QRectF& box, const MatrixCell& cell) {
  const QRectF textBox = box.adjusted(6, 0, -5, -5);
  if (cell.mask.kind == MaskKind::None) {
    m_painter->setPen(mixed(cellFill(cell), m_ink, 0.45));
    m_painter->drawText(textBox, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("–"));
    return;
  }
  m_painter->setPen(m_ink);
  m_painter->setFont(boldened(m_font));
  m_painter->drawText(textBox, Qt::AlignLeft | Qt::AlignVCenter, maskLetter(cell.mask.kind));
  m_painter->setFont(m_font);
  m_painter->drawText(textBox, Qt::AlignRight | Qt::AlignVCenter, fittingNumber(textBox, cell));
}

/// Without its unit where a narrow cell has no room for it; the tip has it.
QString MaskMatrixPainter::fittingNumber(const QRectF& box, const MatrixCell& cell) const {
  QString number = cellNumber(cell);
  const QFontMetricsF metrics(m_font);
  const double letter =
      metrics.horizontalAdvance(maskLetter(cell.mask.kind)) + metrics.averageCharWidth();
  if (letter + metrics.horizontalAdvance(number) > box.width()) number.remove(QStringLiteral("px"));
  return number;
}

void MaskMatrixPainter::drawBar(const QRectF& box, const MatrixCell& cell) {
  if (!cell.bar) return;
  const QColor fill = cellFill(cell);
  QRectF bar(box.left() + 5, box.bottom() - 6, box.width() - 10, 3);
  m_painter->setPen(Qt::NoPen);
  m_painter->setBrush(mixed(fill, m_ink, 0.16));
  m_painter->drawRoundedRect(bar, 1.5, 1.5);
  bar.setWidth(bar.width() * std::clamp(*cell.bar, 0.0, 1.0));
  m_painter->setBrush(cell.recorded ? m_highlight : mixed(fill, m_ink, 0.72));
  m_painter->drawRoundedRect(bar, 1.5, 1.5);
  if (!cell.chance) return;
  const double at = box.left() + 5 + (box.width() - 10) * std::clamp(*cell.chance, 0.0, 1.0);
  m_painter->setPen(QPen(m_ink, 1));
  m_painter->drawLine(QPointF(at, bar.top() - 3), QPointF(at, bar.bottom() + 2));
}

void MaskMatrixPainter::drawNumber(const QRectF& box, const MatrixCell& cell) {
  if (cell.number.isEmpty()) return;
  const double width = m_painter->fontMetrics().horizontalAdvance(cell.number);
  if (width > box.width() - kNumberRoom) return;
  m_painter->setPen(mixed(cellFill(cell), m_ink, 0.6));
  m_painter->drawText(box.adjusted(0, 0, 0, -5), Qt::AlignCenter, cell.number);
}

void MaskMatrixPainter::drawMarks(const QRectF& box, const MatrixCell& cell) {
  if (cell.shown) {
    const QPointF corner = box.topRight();
    m_painter->setPen(Qt::NoPen);
    m_painter->setBrush(m_highlight);
    m_painter->drawPolygon(QPolygonF({corner, corner - QPointF(8, 0), corner + QPointF(0, 8)}));
  }
  if (cell.selected || cell.current) {
    m_painter->setBrush(Qt::NoBrush);
    m_painter->setPen(QPen(m_highlight, cell.current ? 2.4 : 1.4));
    m_painter->drawRoundedRect(box, kRound, kRound);
  }
}

void MaskMatrixPainter::drawHeader(const QRect& rect, const QString& text, bool hovered,
                                   bool shown) {
  m_painter->fillRect(rect, hovered ? mixed(m_paper, m_ink, 0.12) : m_paper);
  m_painter->setFont(boldened(m_font, shown));
  m_painter->setPen(mixed(m_paper, m_ink, shown ? 1.0 : 0.7));
  m_painter->drawText(rect, Qt::AlignCenter, text);
}

void MaskMatrixPainter::drawHeaders(const MatrixLayout& layout, const QSize& viewport,
                                    const MatrixHeaders& headers) {
  const int left = layout.rowHeaderWidth(), top = layout.columnHeaderHeight();
  const int width = viewport.width(), height = viewport.height();
  const MatrixPlace& hovered = headers.hovered;
  drawPaper({0, 0, width, top});
  drawPaper({0, 0, left, height});
  const int room = layout.cellSize().width() - 8;
  const bool wide = room > m_painter->fontMetrics().horizontalAdvance(QStringLiteral("head 00"));
  m_painter->setClipRect(left, 0, width, height);
  for (int h = 0; h < layout.heads(); ++h)
    drawHeader(layout.columnHeaderRect(h),
               wide ? QObject::tr("head %1").arg(h) : QString::number(h),
               hovered == MatrixPlace::column(h), headers.shownHead == h);
  m_painter->setClipRect(0, top, width, height);
  for (int l = 0; l < layout.layers(); ++l)
    drawHeader(layout.rowHeaderRect(l), QStringLiteral("L%1").arg(l),
               hovered == MatrixPlace::row(l), headers.shownLayer == l);
  m_painter->setClipping(false);
  drawHeader(layout.cornerRect(), QObject::tr("all"), hovered == MatrixPlace::corner(), false);
}

void MaskMatrixPainter::drawPaper(const QRect& rect) {
  m_painter->fillRect(rect, m_paper);
}

}  // namespace headlight
