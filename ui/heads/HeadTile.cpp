// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heads/HeadTile.h"

#include <QObject>

#include <algorithm>

#include "ui/masks/MaskAppearance.h"

namespace headlight {
namespace {

constexpr double kLeastFramed = 3;  ///< a smaller patch's frame would hide its neighbors

}  // namespace

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

namespace {

/// The head's number, and its mask in letters.
void drawHeadCaption(QPainter& painter, const QRectF& area, const HeadTile& tile,
                     const QPalette& palette) {
  const QFontMetricsF metrics(painter.font());
  const QRectF caption(area.left(), area.bottom() + 1, area.width(), headCaptionHeight(metrics));
  QColor text = palette.color(QPalette::WindowText);
  text.setAlphaF(0.8f);
  painter.setPen(text);
  painter.drawText(caption, Qt::AlignLeft | Qt::AlignVCenter, tile.number);
  if (tile.mask.kind == MaskKind::None) return;
  QString mask = maskLetter(tile.mask.kind) + maskNumber(tile.mask);
  if (metrics.horizontalAdvance(tile.number + QLatin1Char(' ') + mask) > caption.width())
    mask = maskLetter(tile.mask.kind);
  painter.drawText(caption, Qt::AlignRight | Qt::AlignVCenter, mask);
}

/// In words where there is room, on a dark ground that shows on any map.
void drawUniform(QPainter& painter, const QRectF& map) {
  const QFontMetricsF metrics(painter.font());
  QString text = QObject::tr("uniform");
  if (metrics.horizontalAdvance(text) + 4 > map.width()) text = QStringLiteral("=");
  const QSizeF size(metrics.horizontalAdvance(text) + 4, metrics.height());
  if (size.width() > map.width() || size.height() > map.height()) return;
  const QRectF box(map.center() - QPointF(size.width(), size.height()) / 2, size);
  painter.fillRect(box, QColor(0, 0, 0, 150));
  painter.setPen(Qt::white);
  painter.drawText(box, Qt::AlignCenter, text);
}

void drawMaskCorner(QPainter& painter, const QRectF& area, MaskKind kind, const QPalette& palette) {
  const double side = std::min(std::clamp(area.width() / 5, 10.0, 18.0), area.width() / 2);
  const QPointF corner = area.topRight();
  painter.setPen(QPen(Qt::white, 1));
  painter.setBrush(maskColor(kind, palette));
  painter.drawPolygon(QPolygonF{corner, corner - QPointF(side, 0), corner + QPointF(0, side)});
}

}  // namespace

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
    if (patch.width() >= kLeastFramed) painter.drawRect(patch);
    painter.setPen(QPen(Qt::white, 1));
    painter.drawRect(patch);
  }
  if (tile.uniform && !tile.map.isNull()) drawUniform(painter, map);
  if (tile.captioned) drawHeadCaption(painter, area, tile, palette);
  if (tile.mask.kind != MaskKind::None) drawMaskCorner(painter, area, tile.mask.kind, palette);
  painter.restore();
}

}  // namespace headlight
