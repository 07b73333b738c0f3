#include "ui/maps/PicturePainting.h"

#include <QPainterPath>

#include <algorithm>
#include <cmath>

#include "ui/maps/ImagePainting.h"

namespace headlight {
namespace {

constexpr double kLeastLined = 4;  ///< a patch's side

}  // namespace

void paintScene(QPainter& painter, const PictureScene& scene, const QPalette& palette) {
  if (scene.picture.isNull()) return;
  painter.setRenderHint(QPainter::SmoothPixmapTransform, !scene.blocky);
  painter.drawImage(scene.target, scene.picture, scene.source);
  if (scene.region.isEmpty()) return;
  if (!scene.map.isNull()) {
    painter.setOpacity(scene.opacity);
    drawMap(painter, scene.region, scene.map, scene.smoothMap);
    painter.setOpacity(1);
  }
  QPainterPath unseen;
  unseen.addRect(scene.target);
  QPainterPath inside;
  inside.addRect(scene.region);
  QColor dim = palette.color(QPalette::Window);
  dim.setAlpha(170);
  painter.fillPath(unseen.subtracted(inside), dim);
}

void paintRegionEdge(QPainter& painter, const QRectF& region, const QPalette& palette) {
  QColor edge = palette.color(QPalette::WindowText);
  edge.setAlpha(170);
  painter.setPen(QPen(edge, 1));
  painter.drawRect(region);
}

void paintPatchLines(QPainter& painter, const QRectF& region, int rows, int cols,
                     const QRectF& area) {
  const double width = region.width() / cols, height = region.height() / rows;
  if (std::min(width, height) < kLeastLined) return;
  const QRectF seen = region.intersected(area);
  const auto lines = [&](const QColor& color, double shift) {
    painter.setPen(QPen(color, 1));
    for (int c = 1; c < cols; ++c) {
      const double x = std::round(region.left() + c * width) + shift;
      if (x >= area.left() && x <= area.right())
        painter.drawLine(QPointF(x, seen.top()), QPointF(x, seen.bottom()));
    }
    for (int r = 1; r < rows; ++r) {
      const double y = std::round(region.top() + r * height) + shift;
      if (y >= area.top() && y <= area.bottom())
        painter.drawLine(QPointF(seen.left(), y), QPointF(seen.right(), y));
    }
  };
  lines(QColor(255, 255, 255, 56), 0);
  lines(QColor(0, 0, 0, 40), 1);
}

void paintHoveredPatch(QPainter& painter, const QRectF& patch) {
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(QColor(0, 0, 0, 130), 3));
  painter.drawRect(patch);
  painter.setPen(QPen(Qt::white, 1));
  painter.drawRect(patch);
}

void paintHint(QPainter& painter, const QRectF& area, const QString& text,
               const QPalette& palette) {
  QColor quiet = palette.color(QPalette::WindowText);
  quiet.setAlphaF(0.65f);
  painter.setPen(quiet);
  painter.drawText(area.adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap, text);
}

void drawNote(QPainter& painter, const QRectF& anchor, Qt::Alignment corner, const QString& text,
              const QPalette& palette) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  const QFontMetricsF metrics(painter.font());
  const QStringList lines = text.split(QLatin1Char('\n'));
  double width = 0;
  for (const QString& line : lines)
    width = std::max(width, metrics.horizontalAdvance(line));
  const QSizeF size(std::min(width + 16, anchor.width() - 16),
                    metrics.height() * static_cast<double>(lines.size()) + 8);
  const QRectF inner = anchor.adjusted(8, 8, -8, -8);
  double x = inner.center().x() - size.width() / 2;
  if (corner & Qt::AlignLeft) x = inner.left();
  if (corner & Qt::AlignRight) x = inner.right() - size.width();
  const double y = corner & Qt::AlignTop ? inner.top() : inner.bottom() - size.height();
  const QRectF box(std::round(x), std::round(y), size.width(), size.height());
  QColor ground = palette.color(QPalette::Window);
  ground.setAlpha(225);
  QColor edge = palette.color(QPalette::WindowText);
  edge.setAlpha(60);
  painter.setBrush(ground);
  painter.setPen(edge);
  painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
  painter.setPen(palette.color(QPalette::WindowText));
  for (int i = 0; i < lines.size(); ++i)
    painter.drawText(QRectF(box.left() + 8, box.top() + 4 + i * metrics.height(), box.width() - 12,
                            metrics.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, lines[i]);
  painter.restore();
}

}  // namespace headlight
