// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The layers × layers picture, for the window and for figures alike.

#include "core/workbench/evaluation/LayerSimilarity.h"
#include "ui/canvas/ImagePainting.h"

namespace headlight {

/// Cell (row, column) of an L × L picture with its labels, centred in `area`.
QRectF similarityCell(const QRectF& area, const QFontMetricsF& metrics, int layers, int row,
                      int column);
/// Colours run over all that a cosine can be: 0 to 1, or −1 to 1 for signed maps.
Legend similarityLegend(int head, bool isSigned, ColorMap colorMap, const QString& sourceNote);
/// Of an average over pictures, which it says.
Legend similarityLegend(const LayerSimilarity& averages, int head, ColorMap colorMap,
                        const QString& sourceNote);
/// `values` is [L × L]; the legend gives colours and range. Numbers where cells have room.
void drawSimilarity(QPainter& painter, const QRectF& area, const std::vector<float>& values,
                    int layers, const Legend& legend, const QPalette& palette);

}  // namespace headlight
