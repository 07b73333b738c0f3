// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/ViewedMask.h"

#include <QLineF>

#include "ui/base/MaskColors.h"

namespace headlight {
namespace {

constexpr double kLineWidth = 2, kHaloWidth = 4;

QList<QLineF> linesOver(const QRectF& region, const std::vector<PatchEdge>& edges, int rows,
                        int cols) {
  QList<QLineF> lines;
  const auto corner = [&](int row, int col) {
    return QPointF(region.left() + col * region.width() / cols,
                   region.top() + row * region.height() / rows);
  };
  for (const PatchEdge& edge : edges)
    lines << QLineF(corner(edge.row, edge.col), corner(edge.lastRow, edge.lastCol));
  return lines;
}

void drawEdges(QPainter& painter, const QList<QLineF>& lines, const QColor& color,
               Qt::PenStyle style) {
  painter.setPen(QPen(QColor(0, 0, 0, 170), kHaloWidth, Qt::SolidLine, Qt::SquareCap));
  painter.drawLines(lines);
  painter.setPen(QPen(color, kLineWidth, style, Qt::FlatCap));
  painter.drawLines(lines);
}

}  // namespace

MaskSight viewedMask(const ModelInfo& model, const MaskScheme& masks,
                     const InferenceResult* inference, const ViewOptions& view) {
  if (!view.maskOutline || !view.learned.empty()) return {};
  return maskSight({model, masks, inference, view.layer, view.head, view.query});
}

MaskSight viewedMask(const Document& document) {
  if (!document.inputs().hasModel()) return {};
  const auto inference = document.inference();
  return viewedMask(document.inputs().model(), document.recorded().shownMasks(), inference.get(),
                    document.view().options());
}

void drawMaskSight(QPainter& painter, const QRectF& region, const MaskSight& sight,
                   const QPalette& palette) {
  if (!sight.isDrawn() || region.isEmpty()) return;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  drawEdges(painter, linesOver(region, sight.learned, sight.rows, sight.cols), Qt::white,
            Qt::DashLine);
  drawEdges(painter, linesOver(region, sight.window, sight.rows, sight.cols),
            maskColor(sight.kind, palette).lighter(130), Qt::SolidLine);
  painter.restore();
}

}  // namespace headlight
