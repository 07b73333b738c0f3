// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/MapPainting.h"

#include <QPainterPath>

#include <algorithm>
#include <cmath>

#include "ui/base/TextWrapping.h"
#include "ui/canvas/ImagePainting.h"

namespace headlight {
namespace {

constexpr double kLeastLined = 4;  ///< a patch's side
const QColor kPlainGround(128, 128, 128);

/// The image in `area` (of the painter's coordinates) as pixels of the device.
QImage pixelsOf(const ImageScene& scene, const QRectF& area, const QSize& size, double ratio) {
  QImage pixels(size, QImage::Format_RGB888);
  QPainter painter(&pixels);
  painter.scale(ratio, ratio);
  painter.translate(-area.topLeft());
  painter.setRenderHint(QPainter::SmoothPixmapTransform, !scene.blocky);
  painter.drawImage(scene.target, scene.image, scene.source);
  return pixels;
}

QImage lightIn(const ImageScene& scene, const QRectF& area, const QSize& size, double ratio) {
  QImage light(size, QImage::Format_Grayscale8);
  light.fill(0);
  QPainter painter(&light);
  painter.scale(ratio, ratio);
  painter.translate(-area.topLeft());
  drawMap(painter, scene.region, scene.map, scene.smoothMap);
  return light;
}

void paintLit(QPainter& painter, const ImageScene& scene) {
  const double ratio = painter.device()->devicePixelRatioF();
  const QRectF device(QPointF(0, 0),
                      QSizeF(painter.device()->width(), painter.device()->height()) / ratio);
  const QRectF seen = scene.region.intersected(scene.target).intersected(device);
  if (seen.isEmpty()) return;
  // Whole pixels of the device, so that nothing is scaled twice.
  const QRect whole = QRectF(seen.topLeft() * ratio, seen.size() * ratio).toAlignedRect();
  const QRectF area(QPointF(whole.topLeft()) / ratio, QSizeF(whole.size()) / ratio);
  QImage pixels = pixelsOf(scene, area, whole.size(), ratio);
  const QImage light = lightIn(scene, area, whole.size(), ratio);
  const Lamp lamp({scene.style == MapStyle::Warm, scene.strength});
  for (int y = 0; y < pixels.height(); ++y)
    lamp.lightPixels(pixels.scanLine(y), light.constScanLine(y),
                     static_cast<std::size_t>(pixels.width()));
  painter.save();
  painter.setClipRect(seen);
  painter.drawImage(area, pixels);
  painter.restore();
}

}  // namespace

QColor unseenShade() {
  return {0, 0, 0, 222};
}

void paintScene(QPainter& painter, const ImageScene& scene) {
  if (scene.image.isNull()) return;
  painter.setRenderHint(QPainter::SmoothPixmapTransform, !scene.blocky);
  painter.drawImage(scene.target, scene.image, scene.source);
  if (scene.region.isEmpty()) return;
  if (scene.plain) painter.fillRect(scene.region, kPlainGround);
  if (!scene.map.isNull() && scene.style == MapStyle::Overlay) {
    painter.setOpacity(scene.strength);
    drawMap(painter, scene.region, scene.map, scene.smoothMap);
    painter.setOpacity(1);
  } else if (!scene.map.isNull()) {
    paintLit(painter, scene);
  }
  QPainterPath unseen;
  unseen.addRect(scene.target);
  QPainterPath inside;
  inside.addRect(scene.region);
  painter.fillPath(unseen.subtracted(inside), unseenShade());
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

namespace {

constexpr double kNoteMargin = 8, kNoteSides = 16;

QSizeF noteSize(const QFontMetricsF& metrics, const QStringList& lines, double room) {
  double width = 0;
  for (const QString& line : lines)
    width = std::max(width, metrics.horizontalAdvance(line));
  return {std::min(width + kNoteSides, room),
          metrics.height() * static_cast<double>(lines.size()) + 8};
}

void drawNoteIn(QPainter& painter, const QRectF& box, const QStringList& lines,
                const QPalette& palette) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  const QFontMetricsF metrics(painter.font());
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

}  // namespace

void drawNote(QPainter& painter, const QRectF& anchor, Qt::Alignment corner, const QString& text,
              const QPalette& palette) {
  const QFontMetricsF metrics(painter.font());
  const double room = anchor.width() - 2 * kNoteMargin;
  const QStringList lines = brokenLines(metrics, text, room - kNoteSides);
  const QSizeF size = noteSize(metrics, lines, room);
  const QRectF inner = anchor.adjusted(kNoteMargin, kNoteMargin, -kNoteMargin, -kNoteMargin);
  double x = inner.center().x() - size.width() / 2;
  if (corner & Qt::AlignLeft) x = inner.left();
  if (corner & Qt::AlignRight) x = inner.right() - size.width();
  const double y = corner & Qt::AlignTop ? inner.top() : inner.bottom() - size.height();
  drawNoteIn(painter, QRectF(std::round(x), std::round(y), size.width(), size.height()), lines,
             palette);
}

void drawNoteBeside(QPainter& painter, const QRectF& what, const QRectF& area, const QString& text,
                    const QPalette& palette) {
  const QStringList lines = text.split(QLatin1Char('\n'));
  const QSizeF size =
      noteSize(QFontMetricsF(painter.font()), lines, area.width() - 2 * kNoteMargin);
  double x = what.right() + kNoteMargin;
  if (x + size.width() > area.right()) x = what.left() - kNoteMargin - size.width();
  double y = what.top() - kNoteMargin - size.height();
  if (y < area.top()) y = what.bottom() + kNoteMargin;
  x = std::clamp(x, area.left(), std::max(area.left(), area.right() - size.width()));
  drawNoteIn(painter, QRectF(std::round(x), std::round(y), size.width(), size.height()), lines,
             palette);
}

}  // namespace headlight
