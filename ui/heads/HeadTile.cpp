// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heads/HeadTile.h"

#include <algorithm>

#include "ui/masks/MaskAppearance.h"

namespace headlight {

double headCaptionHeight(const QFontMetricsF& metrics) {
  return metrics.height() + 2;
}

QRectF mapAreaInTile(const QRectF& area, int rows, int cols) {
  constexpr double kRounding = 1.5;  // pixels: tiles are whole ones, grids are not
  if (rows <= 0 || cols <= 0) return area;
  const double patch = std::min(area.width() / cols, area.height() / rows);
  const QSizeF size(patch * cols, patch * rows);
  if (size.width() > area.width() - kRounding && size.height() > area.height() - kRounding)
    return area;
  return {area.left() + (area.width() - size.width()) / 2,
          area.top() + (area.height() - size.height()) / 2, size.width(), size.height()};
}

void drawHeadTile(QPainter& painter, const QRectF& area, const HeadTile& tile,
                  const QPalette& palette) {
  painter.save();
  const QRectF map = mapAreaInTile(area, tile.rows, tile.cols);
  if (tile.map.isNull() || map != area)
    painter.fillRect(area, palette.color(QPalette::AlternateBase));
  if (tile.map.isNull()) {
    QColor edge = palette.color(QPalette::WindowText);
    edge.setAlphaF(0.15f);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(edge, 1));
    painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5));
  }
  drawMap(painter, map, tile.map, tile.smooth);
  const QRectF patch = patchInRegion(map, tile.rows, tile.cols, tile.queryPatch);
  if (!patch.isEmpty() && !tile.map.isNull()) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(QColor(0, 0, 0, 140), 3));
    painter.drawRect(patch);
    painter.setPen(QPen(Qt::white, 1));
    painter.drawRect(patch);
  }
  const QRectF caption(area.left(), area.bottom() + 1, area.width(),
                       headCaptionHeight(QFontMetricsF(painter.font())));
  QColor text = palette.color(QPalette::WindowText);
  text.setAlphaF(0.8f);
  painter.setPen(text);
  painter.drawText(caption, Qt::AlignLeft | Qt::AlignVCenter, tile.number);
  if (tile.mask.kind != MaskKind::None) {
    const QFontMetricsF metrics(painter.font());
    QString mask = maskLetter(tile.mask.kind) + QString::number(tile.mask.window);
    if (metrics.horizontalAdvance(tile.number + QLatin1Char(' ') + mask) > caption.width())
      mask = maskLetter(tile.mask.kind);
    painter.drawText(caption, Qt::AlignRight | Qt::AlignVCenter, mask);
    const double side = std::clamp(area.width() / 5, 10.0, 18.0);
    const QPointF corner = area.topRight();
    painter.setPen(QPen(Qt::white, 1));
    painter.setBrush(maskColor(tile.mask.kind, palette));
    painter.drawPolygon(QPolygonF{corner, corner - QPointF(side, 0), corner + QPointF(0, side)});
  }
  painter.restore();
}

}  // namespace headlight
