#pragma once
// What a figure shows, gathered from a request: plain values that are ready to be painted.

#include <QRectF>
#include <QString>

#include <vector>

#include "ui/figures/FigureExport.h"
#include "ui/maps/HeadTile.h"

namespace headlight {

/// A picture with a map over it.
struct FigurePanel {
  QString title;  ///< above it; may be empty
  MapLayer map;
  bool ownBar = false;  ///< its own colours and range below it
};

struct FigureContent {
  FigureKind kind = FigureKind::Canvas;
  QString title;
  Legend legend;
  bool showLegend = true;
  // Canvas, Rollout, Comparison
  Image image;
  QRectF region;  ///< what the model sees, in picture pixels
  std::vector<FigurePanel> panels;
  double opacity = 0;  ///< of overlays; 0: maps are hidden
  double dim = 0;      ///< of the headlight
  QRectF cursor;       ///< the token's patch, in picture pixels; may be empty
  // Heads: [layer][1 + head], the mean first
  std::vector<std::vector<HeadTile>> tiles;
  int chosenLayer = 0, chosenHead = -1;
  // Similarity: [L × L]
  std::vector<float> similarity;
  int layers = 0;
};

/// Works out what is missing (a rollout, a similarity) and gathers the rest.
Result<FigureContent> figureContent(const FigureRequest& request);

}  // namespace headlight
