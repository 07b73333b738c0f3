// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/PictureTiles.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

constexpr double kPictureGap = 10;

}  // namespace

PictureTiles::PictureTiles(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  describe();
}

void PictureTiles::setTiles(const QList<Tile>& tiles) {
  m_tiles = tiles;
  describe();
  update();
}

void PictureTiles::setHint(const QString& hint) {
  m_hint = hint;
  describe();
  update();
}

void PictureTiles::describe() {
  QStringList captions;
  for (const Tile& tile : m_tiles)
    captions << tile.caption;
  setAccessibleName(m_tiles.isEmpty() ? m_hint : tr("Pictures: %1").arg(captions.join(tr(", "))));
}

double PictureTiles::captionHeight() const {
  return fontMetrics().lineSpacing() + 4;
}

PictureTiles::Arrangement PictureTiles::arrange() const {
  Arrangement best;
  const int count = static_cast<int>(m_tiles.size());
  for (int columns = 1; columns <= count; ++columns) {
    const int rows = (count + columns - 1) / columns;
    const double wide = (width() - kPictureGap * (columns + 1)) / columns;
    const double high = (height() - kPictureGap * (rows + 1)) / rows - captionHeight();
    if (std::min(wide, high) > best.side) best = {columns, std::min(wide, high)};
  }
  return best;
}

void PictureTiles::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (m_tiles.isEmpty()) {
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(rect().adjusted(20, 20, -20, -20), Qt::AlignCenter | Qt::TextWordWrap, m_hint);
    return;
  }
  const Arrangement arrangement = arrange();
  if (arrangement.side < 1) return;
  const QSizeF first = m_tiles.front().picture.size();
  // Whole pixels of the screen a picture pixel, where there is room for one, from whole pixels on.
  const double ratio = devicePixelRatioF();
  const auto snapped = [ratio](double at) { return std::round(at * ratio) / ratio; };
  const double exact = ratio * arrangement.side / std::max({first.width(), first.height(), 1.0});
  const QSizeF size = first * ((exact >= 1 ? std::floor(exact) : exact) / ratio);
  const double cellWidth = snapped(size.width() + kPictureGap);
  const double cellHeight = snapped(size.height() + captionHeight() + kPictureGap);
  const int columns = arrangement.columns;
  const int rows = (static_cast<int>(m_tiles.size()) + columns - 1) / columns;
  const QPointF start(
      snapped((width() - cellWidth * columns + kPictureGap) / 2),
      snapped(std::max(kPictureGap, (height() - cellHeight * rows + kPictureGap) / 2)));
  painter.setPen(palette().color(QPalette::WindowText));
  for (int i = 0; i < m_tiles.size(); ++i) {
    const int row = static_cast<int>(i) / columns, column = static_cast<int>(i) % columns;
    const QPointF corner = start + QPointF(cellWidth * column, cellHeight * row);
    painter.drawImage(QRectF(corner, size), m_tiles[i].picture);
    drawCaption(painter, {corner.x(), corner.y() + size.height(), size.width(), captionHeight()},
                m_tiles[i].caption);
  }
}

void PictureTiles::drawCaption(QPainter& painter, const QRectF& area,
                               const QString& caption) const {
  // Where there is no room for "completion 12", its number says which it is.
  const bool fits = fontMetrics().horizontalAdvance(caption) <= area.width();
  const QString text = fits ? caption : caption.section(QLatin1Char(' '), -1);
  painter.drawText(area, Qt::AlignCenter,
                   fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(area.width())));
}

}  // namespace headlight
