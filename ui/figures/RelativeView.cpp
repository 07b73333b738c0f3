// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/RelativeView.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

#include "ui/base/CoreText.h"
#include "ui/base/Images.h"

namespace headlight {
namespace {

constexpr int kTileSide = 108, kTileSpace = 14, kEndsHeight = 16, kLayerLabels = 66,
              kHeadLabels = 24, kTick = 3;
constexpr int kAcross = kTileSide + kTileSpace, kDown = kAcross + kEndsHeight;

QString signedNumber(int value) {
  if (value < 0) return QStringLiteral("−%1").arg(-value);
  return value > 0 ? QStringLiteral("+%1").arg(value) : QStringLiteral("0");
}

}  // namespace

RelativeView::RelativeView(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("relativeView"));
  setAccessibleName(tr("One map per head, by relative position"));
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
}

void RelativeView::setMaps(const Maps& maps, const RelativeStyle& style) {
  m_maps = maps;
  m_style = style;
  m_tiles.clear();
  if (maps)
    for (const RelativeLayer& layer : maps->layers)
      m_tiles.emplace_back(static_cast<std::size_t>(layer.heads));
  setPlace(std::nullopt);
  setFixedSize(sizeHint());
  update();
}

const RelativeLayer& RelativeView::layerAt(int layer) const {
  return m_maps->layers[static_cast<std::size_t>(layer)];
}

QSize RelativeView::sizeHint() const {
  int heads = 0;
  const int layers = m_maps ? static_cast<int>(m_maps->layers.size()) : 0;
  for (int l = 0; l < layers; ++l)
    heads = std::max(heads, layerAt(l).heads);
  return {kLayerLabels + std::max(heads, 1) * kAcross, kHeadLabels + std::max(layers, 1) * kDown};
}

/// A tile keeps the proportions of its layer's grid.
QRect RelativeView::tileRect(int layer, int head) const {
  const RelativeLayer& one = layerAt(layer);
  const int longer = std::max(one.rows(), one.cols());
  return {kLayerLabels + head * kAcross, kHeadLabels + layer * kDown,
          kTileSide * one.cols() / longer, kTileSide * one.rows() / longer};
}

std::optional<RelativeView::Place> RelativeView::placeAt(const QPoint& position) const {
  if (!m_maps) return std::nullopt;
  const int layer = (position.y() - kHeadLabels) / kDown;
  const int head = (position.x() - kLayerLabels) / kAcross;
  if (position.x() < kLayerLabels || position.y() < kHeadLabels ||
      layer >= static_cast<int>(m_maps->layers.size()) || head >= layerAt(layer).heads)
    return std::nullopt;
  const QRect tile = tileRect(layer, head);
  if (!tile.contains(position)) return std::nullopt;
  const RelativeLayer& one = layerAt(layer);
  return Place{layer, head,
               (position.y() - tile.y()) * one.rows() / tile.height() - one.grid.rows + 1,
               (position.x() - tile.x()) * one.cols() / tile.width() - one.grid.cols + 1};
}

QRectF RelativeView::cellRect(const Place& place) const {
  const RelativeLayer& one = layerAt(place.layer);
  const QRectF tile = tileRect(place.layer, place.head);
  const double wide = tile.width() / one.cols(), tall = tile.height() / one.rows();
  return {tile.x() + (place.col + one.grid.cols - 1) * wide,
          tile.y() + (place.row + one.grid.rows - 1) * tall, wide, tall};
}

void RelativeView::setPlace(const std::optional<Place>& place) {
  if (place == m_place) return;
  m_place = place;
  update();
  Q_EMIT placeChanged(placeText());
}

QString RelativeView::placeText() const {
  if (!m_place || !m_maps) return {};
  const double value = layerAt(m_place->layer).at(m_place->head, m_place->row, m_place->col);
  return tr("layer %1, head %2, row %3, column %4: %5")
      .arg(m_place->layer)
      .arg(m_place->head)
      .arg(signedNumber(m_place->row), signedNumber(m_place->col),
           std::isnan(value) ? tr("no number") : QString::number(value, 'g', 4));
}

void RelativeView::paintEvent(QPaintEvent* event) {
  QPainter painter(this);
  painter.setPen(palette().color(QPalette::WindowText));
  if (!m_maps) return;
  int heads = 0;
  for (int l = 0; l < static_cast<int>(m_maps->layers.size()); ++l) {
    heads = std::max(heads, layerAt(l).heads);
    const int y = kHeadLabels + l * kDown;
    painter.drawText(QRect(0, y, kLayerLabels - 10, kTileSide), Qt::AlignRight | Qt::AlignVCenter,
                     tr("layer %1").arg(l));
    for (int h = 0; h < layerAt(l).heads; ++h)
      if (tileRect(l, h).adjusted(-kTick, -kTick, kTileSide, kDown).intersects(event->rect()))
        paintTile(painter, l, h);
  }
  for (int h = 0; h < heads; ++h)
    painter.drawText(QRect(kLayerLabels + h * kAcross, 0, kTileSide, kHeadLabels - kTick),
                     Qt::AlignCenter, tr("head %1").arg(h));
  if (!m_place) return;
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF cell = cellRect(*m_place).adjusted(-1, -1, 1, 1);
  painter.setPen(QPen(Qt::black, 3));
  painter.drawRect(cell);
  painter.setPen(QPen(Qt::white, 1.5));
  painter.drawRect(cell);
}

void RelativeView::paintTile(QPainter& painter, int layer, int head) {
  const QRect place = tileRect(layer, head);
  QImage& tile = m_tiles[static_cast<std::size_t>(layer)][static_cast<std::size_t>(head)];
  const double ratio = devicePixelRatioF();
  const QSize size = (QSizeF(place.size()) * ratio).toSize();
  if (tile.size() != size)
    tile = toQImage(relativeTile(*m_maps, layer, head, m_style, size.width(), size.height()));
  painter.drawImage(place, tile);
  // Marks offset 0 outside the tile, so that nothing is covered.
  const QPoint middle = place.center();
  painter.drawLine(middle.x(), place.top() - kTick, middle.x(), place.top() - 1);
  painter.drawLine(place.left() - kTick, middle.y(), place.left() - 1, middle.y());
  if (!m_style.oneScale)
    painter.drawText(QRect(place.left(), place.bottom() + 2, kTileSide, kEndsHeight),
                     Qt::AlignHCenter | Qt::AlignTop,
                     coreText(relativeEndsText(*m_maps, layer, head)));
}

void RelativeView::mouseMoveEvent(QMouseEvent* event) {
  setPlace(placeAt(event->position().toPoint()));
}

void RelativeView::leaveEvent(QEvent*) {
  setPlace(std::nullopt);
}

/// Arrow keys move from offset to offset, and across a tile's edge to the next tile.
void RelativeView::keyPressEvent(QKeyEvent* event) {
  const int down = (event->key() == Qt::Key_Down) - (event->key() == Qt::Key_Up);
  const int right = (event->key() == Qt::Key_Right) - (event->key() == Qt::Key_Left);
  if (!m_maps || m_maps->layers.empty() || (down == 0 && right == 0))
    return QWidget::keyPressEvent(event);
  Place next = m_place.value_or(Place{});
  if (m_place) {
    next.row += down;
    next.col += right;
    const Grid grid = layerAt(next.layer).grid;
    const int byLayer = (next.row >= grid.rows) - (next.row <= -grid.rows);
    const int byHead = (next.col >= grid.cols) - (next.col <= -grid.cols);
    next.layer += byLayer;
    next.head += byHead;
    if (next.layer < 0 || next.layer >= static_cast<int>(m_maps->layers.size()) || next.head < 0 ||
        next.head >= layerAt(next.layer).heads)
      return;
    const Grid there = layerAt(next.layer).grid;
    if (byLayer != 0) next.row = byLayer * (1 - there.rows);
    if (byHead != 0) next.col = byHead * (1 - there.cols);
    next.row = std::clamp(next.row, 1 - there.rows, there.rows - 1);
    next.col = std::clamp(next.col, 1 - there.cols, there.cols - 1);
  }
  setPlace(next);
}

}  // namespace headlight
