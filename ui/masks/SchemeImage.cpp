// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/masks/SchemeImage.h"

#include <QPainter>

#include <algorithm>
#include <functional>

#include "ui/base/MaskColors.h"

namespace headlight {
namespace {

using PaintHead = std::function<void(QPainter&, const QRectF&, int layer, int head)>;

QImage paintedHeads(const MaskScheme& scheme, const QSize& size, const PaintHead& paint) {
  QImage image(size, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  int widest = 1;
  for (int layer = 0; layer < scheme.layers(); ++layer)
    widest = std::max(widest, scheme.heads(layer));
  const double width = static_cast<double>(size.width()) / widest;
  const double height = static_cast<double>(size.height()) / std::max(scheme.layers(), 1);
  const double gap = std::min(width, height) > 5 ? 1 : 0;
  QPainter painter(&image);
  for (int layer = 0; layer < scheme.layers(); ++layer)
    for (int head = 0; head < scheme.heads(layer); ++head)
      paint(painter, QRectF(head * width, layer * height, width - gap, height - gap), layer, head);
  return image;
}

QColor quiet(const QPalette& palette, float strength) {
  QColor color = palette.color(QPalette::WindowText);
  color.setAlphaF(strength);
  return color;
}

}  // namespace

QImage schemeImage(const MaskScheme& scheme, const QSize& size, const QPalette& palette) {
  return paintedHeads(
      scheme, size, [&](QPainter& painter, const QRectF& cell, int layer, int head) {
        const MaskKind kind = scheme.at(layer, head).kind;
        painter.fillRect(cell,
                         kind == MaskKind::None ? quiet(palette, 0.12f) : maskColor(kind, palette));
      });
}

QImage differenceImage(const MaskScheme& from, const MaskScheme& to, const QSize& size,
                       const QPalette& palette) {
  return paintedHeads(to, size, [&](QPainter& painter, const QRectF& cell, int layer, int head) {
    const HeadMask& before = from.at(layer, head);
    const HeadMask& after = to.at(layer, head);
    if (before == after) return painter.fillRect(cell, quiet(palette, 0.08f));
    if (after.kind != MaskKind::None) return painter.fillRect(cell, maskColor(after.kind, palette));
    painter.setPen(QPen(maskColor(before.kind, palette), 1.5));
    painter.drawRect(cell.adjusted(1, 1, -1, -1));
    painter.drawLine(cell.topLeft(), cell.bottomRight());
    painter.drawLine(cell.topRight(), cell.bottomLeft());
  });
}

}  // namespace headlight
