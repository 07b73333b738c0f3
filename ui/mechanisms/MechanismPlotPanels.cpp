// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mechanisms/MechanismPlotPanels.h"

#include <QMouseEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QStyle>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/workbench/session/MapRendering.h"
#include "ui/base/CoreText.h"
#include "ui/base/Images.h"

namespace headlight {
namespace {

constexpr int kOwnGap = 10, kLeastSide = 96;
constexpr int kMostWithScale = 64;  ///< tiles; more have no space for scales

bool sameStyle(const MechanismPlotStyle& a, const MechanismPlotStyle& b) {
  const auto reported = [](const MechanismPlotStyle& style) {
    return std::tuple(style.colorMap, style.sharedScale, style.opacity, style.smooth, style.layer,
                      style.head);
  };
  return reported(a) == reported(b);
}

QString plotNumber(double value) {
  return QString::number(value, 'g', 4);
}

}  // namespace

MechanismPlotPanels::MechanismPlotPanels(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("ownPanels"));
  setAccessibleName(tr("The mechanism plot"));
  setMouseTracking(true);
}

void MechanismPlotPanels::setImage(std::shared_ptr<const MechanismPlot> image,
                                   const MechanismPlotStyle& style, const Image& view,
                                   const Grid& grid) {
  if (image == m_image && sameStyle(style, m_style)) return;  // its tiles are drawn already
  m_image = std::move(image);
  m_style = style;
  m_view = view;
  m_grid = grid;
  m_shown = m_image ? plotChosen(*m_image, style) : std::vector<std::size_t>();
  layOut();
}

void MechanismPlotPanels::setRoom(const QSize& room) {
  if (room == m_room) return;
  m_room = room;
  layOut();
}

void MechanismPlotPanels::setChosen(int layer, int head) {
  m_layer = layer;
  m_head = head;
  update();
}

/// Tiles as large as the space allows; if they would be tiny, the area scrolls.
void MechanismPlotPanels::layOut() {
  m_images.clear();
  const int caption = fontMetrics().height() + 4, count = std::max(1, tiles());
  m_side = 0;
  for (int columns = 1; columns <= count; ++columns) {
    if (!keepsLayers(columns)) continue;
    const int rows = (count + columns - 1) / columns;
    const int wide = (m_room.width() - kOwnGap) / columns - kOwnGap,
              high = (m_room.height() - kOwnGap) / rows - kOwnGap - caption;
    const int side = std::min(wide, high);
    if (side > m_side) m_side = side, m_columns = columns;
  }
  int width = m_room.width();
  if (m_side < kLeastSide) {
    width -= style()->pixelMetric(QStyle::PM_ScrollBarExtent);
    m_columns = std::max(1, (width - kOwnGap) / (kLeastSide + kOwnGap));
    while (!keepsLayers(m_columns))
      --m_columns;
    m_side = std::max(1, std::min(kLeastSide, width - 2 * kOwnGap));
  }
  makeCaptions();
  const int rows = (count + m_columns - 1) / m_columns;
  setFixedSize(std::max(1, width),
               std::max(m_room.height(), kOwnGap + rows * (m_side + caption + kOwnGap)));
  update();
}

/// Whether every row of tiles belongs to one layer, or all rows have equally many layers.
bool MechanismPlotPanels::keepsLayers(int columns) const {
  int heads = 0;
  for (int tile = 0; tile < tiles() && panelOf(tile).layer == panelOf(0).layer; ++tile)
    ++heads;
  return heads < 1 || columns % heads == 0 || heads % columns == 0;
}

const MechanismPlotPanel& MechanismPlotPanels::panelOf(int tile) const {
  return m_image->panels[m_shown[static_cast<std::size_t>(tile)]];
}

QRect MechanismPlotPanels::tileRect(int tile) const {
  const int caption = fontMetrics().height() + 4;
  const MechanismPlotPanel& panel = panelOf(tile);
  const int longer = std::max(1, std::max(panel.rows, panel.cols));
  return {kOwnGap + tile % m_columns * (m_side + kOwnGap),
          kOwnGap + caption + tile / m_columns * (m_side + caption + kOwnGap),
          std::max(1, m_side * panel.cols / longer), std::max(1, m_side * panel.rows / longer)};
}

int MechanismPlotPanels::tileAt(const QPointF& position) const {
  for (int tile = 0; tile < tiles(); ++tile)
    if (tileRect(tile).contains(position.toPoint())) return tile;
  return -1;
}

QString MechanismPlotPanels::placeText(const MechanismPlotPanel& panel, int row, int col) const {
  if (m_image->info.kind == MechanismPlotKind::Heatmap)
    return tr("patch (%1, %2)").arg(row).arg(col);
  if (m_image->info.kind == MechanismPlotKind::Kernel)
    return tr("offset (%1, %2)").arg(row - panel.rows / 2).arg(col - panel.cols / 2);
  const auto token = [&](int index, int count) {
    const int prefix = count == m_grid.patches() ? m_grid.prefix : 0;
    const bool known = count + prefix == m_grid.tokens();
    return known ? coreText(tokenText(index + prefix, m_grid)) : QString::number(index);
  };
  return tr("query %1, key %2").arg(token(row, panel.rows), token(col, panel.cols));
}

QString MechanismPlotPanels::textAt(const QPointF& position) const {
  const int tile = tileAt(position);
  if (tile < 0) return {};
  const MechanismPlotPanel& panel = panelOf(tile);
  const QRect rect = tileRect(tile);
  const int col =
      std::clamp(int((position.x() - rect.left()) * panel.cols / rect.width()), 0, panel.cols - 1);
  const int row =
      std::clamp(int((position.y() - rect.top()) * panel.rows / rect.height()), 0, panel.rows - 1);
  const float value = panel.values[static_cast<std::size_t>(row) * panel.cols + col];
  return tr("%1 · %2: %3 · scale %4")
      .arg(placeOf(tile), placeText(panel, row, col),
           std::isnan(value) ? tr("nothing") : plotNumber(value), rangeOf(tile));
}

QString MechanismPlotPanels::placeOf(int tile) const {
  return coreText(plotPlaceText(panelOf(tile).layer, panelOf(tile).head));
}

QString MechanismPlotPanels::rangeOf(int tile) const {
  const ValueRange range = plotRange(*m_image, m_shown[static_cast<std::size_t>(tile)], m_style);
  return tr("%1 to %2").arg(plotNumber(range.low), plotNumber(range.high));
}

/// With scales if every tile has space for them. An elided caption would hide the head, so all are
/// shortened if one is too narrow; hovering shows the full text.
void MechanismPlotPanels::makeCaptions() {
  const auto made = [&](const auto& text) {
    m_captions.clear();
    bool fit = true;
    for (int tile = 0; tile < tiles(); ++tile) {
      m_captions << text(tile);
      fit = fit && fontMetrics().horizontalAdvance(m_captions.last()) <= m_side;
    }
    return fit;
  };
  if (tiles() <= kMostWithScale &&
      made([&](int tile) { return placeOf(tile) + QStringLiteral("   ") + rangeOf(tile); }))
    return;
  if (made([&](int tile) { return placeOf(tile); })) return;
  made([&](int tile) {
    const MechanismPlotPanel& panel = panelOf(tile);
    return panel.head < 0 ? placeOf(tile) : tr("%1 · head %2").arg(panel.layer).arg(panel.head);
  });
}

QString MechanismPlotPanels::scaleText() const {
  if (tiles() == 0) return {};
  if (tiles() == 1 || m_style.sharedScale) return tr("scale %1").arg(rangeOf(0));
  return tr("one scale per tile");
}

const QImage& MechanismPlotPanels::imageOf(int tile) {
  QImage& image = m_images[tile];
  if (!image.isNull()) return image;
  const int pixels = static_cast<int>(std::lround(m_side * devicePixelRatioF()));
  const auto drawn =
      plotPanelImage(*m_image, m_shown[static_cast<std::size_t>(tile)], m_style, pixels, m_view);
  if (drawn)
    image = toQImage(*drawn);
  else
    image = QImage(1, 1, QImage::Format_RGB888);
  return image;
}

void MechanismPlotPanels::paintEvent(QPaintEvent* event) {
  QPainter painter(this);
  for (int tile = 0; tile < tiles(); ++tile) {
    const QRect rect = tileRect(tile);
    const QRect whole(rect.left(), rect.top() - fontMetrics().height() - 4, m_side,
                      m_side + fontMetrics().height() + 4);
    if (!whole.intersects(event->rect())) continue;
    const QImage& image = imageOf(tile);
    // Blocks stay blocks; what shrinks is averaged.
    painter.setRenderHint(QPainter::SmoothPixmapTransform, image.width() > rect.width());
    painter.drawImage(rect, image);
    painter.setPen(palette().color(QPalette::WindowText));
    const QRect caption(whole.left(), whole.top(), m_side, fontMetrics().height());
    painter.drawText(caption, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(m_captions[tile], Qt::ElideRight, m_side));
    const MechanismPlotPanel& panel = panelOf(tile);
    if (tiles() == 1 || panel.layer != m_layer || panel.head != m_head) continue;
    painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
    painter.drawRect(rect.adjusted(-2, -2, 1, 1));
  }
}

void MechanismPlotPanels::mouseMoveEvent(QMouseEvent* event) {
  Q_EMIT pointed(textAt(event->position()));
}

void MechanismPlotPanels::leaveEvent(QEvent* event) {
  QWidget::leaveEvent(event);
  Q_EMIT pointed({});
}

void MechanismPlotPanels::mousePressEvent(QMouseEvent* event) {
  const int tile = tileAt(event->position());
  if (event->button() == Qt::LeftButton && tile >= 0)
    Q_EMIT headChosen(panelOf(tile).layer, panelOf(tile).head);
}

}  // namespace headlight
