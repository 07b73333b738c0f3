// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The content of a figure, gathered from a request: plain values, ready to be painted.

#include <QRectF>
#include <QString>

#include <vector>

#include "ui/figures/FigureExport.h"
#include "ui/heads/HeadTile.h"

namespace headlight {

struct FigureContent {
  FigureKind kind = FigureKind::Canvas;
  QString title;
  Legend legend;
  bool showLegend = true;
  std::vector<FigurePanel> panels;  ///< Canvas, Rollout, Comparison
  std::size_t panelColumns = 1;     ///< panels in a row
  double opacity = 0;               ///< of overlays; 0: maps are hidden
  double dim = 0;                   ///< of the spotlight style
  // Heads: [layer][1 + head], the mean first
  std::vector<std::vector<HeadTile>> tiles;
  int chosenLayer = 0, chosenHead = -1;
  // Similarity: [L × L]
  std::vector<float> similarity;
  int layers = 0;
};

/// Computes missing values (a rollout, a similarity) and gathers the rest.
Result<FigureContent> figureContent(const FigureRequest& request);

}  // namespace headlight
