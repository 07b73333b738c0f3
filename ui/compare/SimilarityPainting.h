// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The layers × layers image, for the window and for figures alike.

#include "core/workbench/evaluation/LayerSimilarity.h"
#include "ui/canvas/ImagePainting.h"

namespace headlight {

/// Cell (row, column) of an L × L image with its labels, centered in `area`.
QRectF similarityCell(const QRectF& area, const QFontMetricsF& metrics, int layers, int row,
                      int column);
/// The color range is that of a cosine: 0 to 1, or −1 to 1 for signed maps.
Legend similarityLegend(int head, bool isSigned, ColorMap colorMap, const QString& sourceNote);
/// For an average over images; the title says so.
Legend similarityLegend(const LayerSimilarity& averages, int head, ColorMap colorMap,
                        const QString& sourceNote);
/// `values` is [L × L]; the legend gives colors and range. Numbers if cells have space.
void drawSimilarity(QPainter& painter, const QRectF& area, const std::vector<float>& values,
                    int layers, const Legend& legend, const QPalette& palette);

}  // namespace headlight
