// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The pieces that every image of a map is painted from: the colored map, the legend with its
// bar, the region that the model sees.

#include <QImage>
#include <QPainter>
#include <QPalette>
#include <QString>

#include <optional>
#include <string>
#include <vector>

#include "core/config/ModelConfig.h"
#include "core/masks/Grid.h"
#include "core/workbench/session/Images.h"
#include "core/workbench/session/MapRendering.h"

namespace headlight {

/// One map ready to be colored: `values` is [rows × cols], row-major.
struct MapOverlay {
  int rows = 0;
  int cols = 0;
  std::vector<float> values;
  ValueRange range;
  ColorMap colorMap = ColorMap::Viridis;
  MapStyle style = MapStyle::Overlay;
  bool smooth = false;
  std::string note = {};  ///< DrawnMap's

  void setDrawn(const DrawnMap& drawn);
  bool isLight() const { return style != MapStyle::Overlay; }
  bool operator==(const MapOverlay& other) const;
};

/// "scaled to this map: 0.001 to 0.12 · brightest from the 98th percentile on".
QString withMapNote(const QString& text, const MapOverlay& map);

/// The map as an image for scaling (in the headlight its light, from black to white): one pixel a
/// patch where blocky (scale it without smoothing), at least `pixelsPerPatch` a patch where smooth,
/// in all at most 512 a side.
QImage mapImage(const MapOverlay& map, int pixelsPerPatch = 16);
/// `ground` (what the model sees, of any size) lit by a map of the headlight.
QImage litImage(const QImage& ground, const MapOverlay& map, double dim);
/// Scales `map` into `target`, sharp blocks or smooth as the map says.
void drawMap(QPainter& painter, const QRectF& target, const QImage& map, bool smooth);

/// "0.0312", "1.2e-05": as many digits as tell patches apart.
QString formatValue(double value);

/// The caption under an image: whose map it is, how it was scaled, and the colors.
struct Legend {
  QString title;    ///< "layer 3 · head 1 · class token"; the first parts are the most important
  QString detail;   ///< "scaled to this head: 0.001 to 0.12"
  QString weights;  ///< "demo": drawn where there is room
  QString note;     ///< what the map is, where it is not what anybody expects; wrapped
  bool whole = false;  ///< in a file, which has no tool tip: as many lines as all of it needs
  bool bar = false;
  ColorMap colorMap = ColorMap::Viridis;
  ValueRange range;
};
QString legendText(const Legend& legend);  ///< all of it, line by line
/// The height that drawLegend needs with this font in this width: one to four lines for title,
/// detail and colors, the fewer the wider, and at most three of the note. Text that they do not
/// hold is in legendText() alone: a caption never ends in "…".
double legendHeight(const QFontMetricsF& metrics, const QString& note = {}, double width = 0);
/// The same, but for all of a legend that is `whole`.
double captionHeight(const QFontMetricsF& metrics, const Legend& legend, double width);
void drawLegend(QPainter& painter, const QRectF& area, const Legend& legend,
                const QPalette& palette);
/// The colors of a legend alone, between their ends.
void drawColors(QPainter& painter, const QRectF& area, const Legend& legend, const QColor& text);

/// The region of `image` that a model sees, in the image's pixels.
QRectF seenRegion(const Image& image, const ModelConfig& model);
/// Patch `index` (row-major) of a rows × cols grid laid over `region`.
QRectF patchInRegion(const QRectF& region, int rows, int cols, int index);

/// A rectangle's outline that shows on any image: `color` within a dark and a light line.
void drawOutline(QPainter& painter, const QRectF& rectangle, const QColor& color, double width);

}  // namespace headlight
