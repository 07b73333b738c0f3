// MaskMatrix: painting.

#include <QPainter>

#include <algorithm>

#include "ui/base/Colors.h"
#include "ui/document/Document.h"
#include "ui/masks/MaskAppearance.h"
#include "ui/masks/MaskMatrix.h"

namespace headlight {
namespace {

/// ".25"; near 1 a digit less, as wide.
QString alphaText(double alpha) {
  const QString text = QString::number(alpha, 'f', 2);
  return text.startsWith(QLatin1Char('0')) ? text.mid(1) : QString::number(alpha, 'f', 1);
}

}  // namespace

void MaskMatrix::drawCell(QPainter& painter, const HeadCell& cell, const QRect& rect) const {
  const HeadMask& mask = m_document->masks().at(cell.first, cell.second);
  const bool selected = m_selection.contains(cell);
  const bool current = m_current == cell && hasFocus();
  const bool hovered = m_hover.part != Part::Nothing &&
                       (m_hover.layer < 0 || m_hover.layer == cell.first) &&
                       (m_hover.head < 0 || m_hover.head == cell.second);
  const QRectF box = QRectF(rect).adjusted(1.5, 1.5, -1.5, -1.5);
  const QColor ink = palette().color(QPalette::Text);
  const bool maskable = isMaskable(cell);
  QColor fill = maskTint(mask.kind, palette());
  if (hovered && maskable) fill = mixed(fill, ink, 0.1);
  painter.setPen(Qt::NoPen);
  painter.setBrush(fill);
  painter.drawRoundedRect(box, 3, 3);
  if (!maskable) {
    painter.setBrush(QBrush(mixed(fill, ink, 0.2), Qt::BDiagPattern));
    painter.drawRoundedRect(box, 3, 3);
  }

  const QRectF textBox = box.adjusted(6, 0, -5, -5);
  painter.setPen(mask.kind == MaskKind::None ? mixed(fill, ink, 0.45) : ink);
  if (!maskable) {
    // Nothing to say: the hatching does.
  } else if (mask.kind == MaskKind::None) {
    painter.drawText(textBox, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("–"));
  } else {
    QFont bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.drawText(textBox, Qt::AlignLeft | Qt::AlignVCenter, maskLetter(mask.kind));
    painter.setFont(font());
    QString number = QString::number(mask.window);
    if (mask.kind == MaskKind::Soft)
      number = alphaText(
          m_document->alpha(cell.first, cell.second).value_or(static_cast<float>(mask.alpha)));
    painter.drawText(textBox, Qt::AlignRight | Qt::AlignVCenter, number);
  }

  if (const auto locality = m_document->locality(cell.first, cell.second)) {
    const QRectF track(box.left() + 5, box.bottom() - 6, box.width() - 10, 3);
    painter.setPen(Qt::NoPen);
    painter.setBrush(mixed(fill, ink, 0.16));
    painter.drawRoundedRect(track, 1.5, 1.5);
    QRectF bar = track;
    bar.setWidth(track.width() * std::clamp(static_cast<double>(*locality), 0.0, 1.0));
    painter.setBrush(m_document->recorded() ? palette().color(QPalette::Highlight)
                                            : mixed(fill, ink, 0.72));
    painter.drawRoundedRect(bar, 1.5, 1.5);
  }

  const ViewOptions& view = m_document->view();
  if (view.layer == cell.first && view.head == cell.second) {  // the head shown in the picture
    const QPointF corner = box.topRight();
    painter.setPen(Qt::NoPen);
    painter.setBrush(palette().color(QPalette::Highlight));
    painter.drawPolygon(QPolygonF({corner, corner - QPointF(8, 0), corner + QPointF(0, 8)}));
  }
  if (selected || current) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(palette().color(QPalette::Highlight), current ? 2.4 : 1.4));
    painter.drawRoundedRect(box, 3, 3);
  }
}

void MaskMatrix::drawHeaders(QPainter& painter) const {
  const MaskScheme& scheme = m_document->masks();
  const QColor paper = palette().color(QPalette::Window), ink = palette().color(QPalette::Text);
  const ViewOptions& view = m_document->view();
  int heads = 0;
  for (int l = 0; l < scheme.layers(); ++l)
    heads = std::max(heads, scheme.heads(l));
  const auto header = [&](const QRect& rect, const QString& text, bool hovered, bool shown) {
    painter.fillRect(rect, hovered ? mixed(paper, ink, 0.12) : paper);
    QFont bold = font();
    bold.setBold(shown);
    painter.setFont(bold);
    painter.setPen(mixed(paper, ink, shown ? 1.0 : 0.7));
    painter.drawText(rect, Qt::AlignCenter, text);
  };
  painter.fillRect(QRect(0, 0, viewport()->width(), m_columnHeaderHeight), paper);
  painter.fillRect(QRect(0, 0, m_rowHeaderWidth, viewport()->height()), paper);
  const bool wide = m_cellSize.width() > painter.fontMetrics().horizontalAdvance("head 00") + 8;
  painter.setClipRect(m_rowHeaderWidth, 0, viewport()->width(), viewport()->height());
  for (int h = 0; h < heads; ++h)
    header(columnHeaderRect(h), wide ? tr("head %1").arg(h) : QString::number(h),
           m_hover.part == Part::ColumnHeader && m_hover.head == h, view.head == h);
  painter.setClipRect(0, m_columnHeaderHeight, viewport()->width(), viewport()->height());
  for (int l = 0; l < scheme.layers(); ++l)
    header(rowHeaderRect(l), QStringLiteral("L%1").arg(l),
           m_hover.part == Part::RowHeader && m_hover.layer == l, view.layer == l);
  painter.setClipping(false);
  if (scheme.layers() > 0) header(cornerRect(), tr("all"), m_hover.part == Part::Corner, false);
}

void MaskMatrix::paintEvent(QPaintEvent* event) {
  QPainter painter(viewport());
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(event->rect(), palette().color(QPalette::Window));
  const MaskScheme& scheme = m_document->masks();
  if (scheme.layers() == 0) {
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(viewport()->rect().adjusted(12, 12, -12, -12),
                     Qt::AlignCenter | Qt::TextWordWrap,
                     tr("Open a model to see its layers and heads here."));
    return;
  }
  for (int l = 0; l < scheme.layers(); ++l)
    for (int h = 0; h < scheme.heads(l); ++h) {
      const QRect rect = cellRect({l, h});
      if (rect.intersects(event->rect())) drawCell(painter, {l, h}, rect);
    }
  drawHeaders(painter);
}

}  // namespace headlight
