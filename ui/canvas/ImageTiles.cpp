// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/ImageTiles.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

constexpr double kImageGap = 10;

}  // namespace

ImageTiles::ImageTiles(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  describe();
}

void ImageTiles::setTiles(const QList<Tile>& tiles) {
  m_tiles = tiles;
  describe();
  update();
}

void ImageTiles::setHint(const QString& hint) {
  m_hint = hint;
  describe();
  update();
}

void ImageTiles::describe() {
  QStringList captions;
  for (const Tile& tile : m_tiles)
    captions << tile.caption;
  setAccessibleName(m_tiles.isEmpty() ? m_hint : tr("Images: %1").arg(captions.join(tr(", "))));
}

double ImageTiles::captionHeight() const {
  return fontMetrics().lineSpacing() + 4;
}

ImageTiles::Arrangement ImageTiles::arrange() const {
  Arrangement best;
  const int count = static_cast<int>(m_tiles.size());
  for (int columns = 1; columns <= count; ++columns) {
    const int rows = (count + columns - 1) / columns;
    const double wide = (width() - kImageGap * (columns + 1)) / columns;
    const double high = (height() - kImageGap * (rows + 1)) / rows - captionHeight();
    if (std::min(wide, high) > best.side) best = {columns, std::min(wide, high)};
  }
  return best;
}

void ImageTiles::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (m_tiles.isEmpty()) {
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(rect().adjusted(20, 20, -20, -20), Qt::AlignCenter | Qt::TextWordWrap, m_hint);
    return;
  }
  const Arrangement arrangement = arrange();
  if (arrangement.side < 1) return;
  const QSizeF first = m_tiles.front().image.size();
  // Whole pixels of the screen an image pixel, where there is room for one, from whole pixels on.
  const double ratio = devicePixelRatioF();
  const auto snapped = [ratio](double at) { return std::round(at * ratio) / ratio; };
  const double exact = ratio * arrangement.side / std::max({first.width(), first.height(), 1.0});
  const QSizeF size = first * ((exact >= 1 ? std::floor(exact) : exact) / ratio);
  const double cellWidth = snapped(size.width() + kImageGap);
  const double cellHeight = snapped(size.height() + captionHeight() + kImageGap);
  const int columns = arrangement.columns;
  const int rows = (static_cast<int>(m_tiles.size()) + columns - 1) / columns;
  const QPointF start(snapped((width() - cellWidth * columns + kImageGap) / 2),
                      snapped(std::max(kImageGap, (height() - cellHeight * rows + kImageGap) / 2)));
  painter.setPen(palette().color(QPalette::WindowText));
  for (int i = 0; i < m_tiles.size(); ++i) {
    const int row = static_cast<int>(i) / columns, column = static_cast<int>(i) % columns;
    const QPointF corner = start + QPointF(cellWidth * column, cellHeight * row);
    painter.drawImage(QRectF(corner, size), m_tiles[i].image);
    drawCaption(painter, {corner.x(), corner.y() + size.height(), size.width(), captionHeight()},
                m_tiles[i].caption);
  }
}

void ImageTiles::drawCaption(QPainter& painter, const QRectF& area, const QString& caption) const {
  // Where there is no room for "completion 12", its number says which it is.
  const bool fits = fontMetrics().horizontalAdvance(caption) <= area.width();
  const QString text = fits ? caption : caption.section(QLatin1Char(' '), -1);
  painter.drawText(area, Qt::AlignCenter,
                   fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(area.width())));
}

}  // namespace headlight
