// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/mechanisms/MechanismPlotPages.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/imaging/drawing/FigureDrawing.h"
#include "core/workbench/mechanisms/MechanismPlotTiles.h"
#include "core/workbench/session/Images.h"

namespace headlight {
namespace {

// Columns of a page, at most: the paper's, and where a layer has very many heads.
constexpr int kPageColumns = 16, kManyColumns = 32, kSharedColumns = 4;
constexpr int kCaptionWidth = 100;  // from which on a caption has room for its scale

struct PageShape {
  bool shared = false;  ///< a panel a layer: layers stand side by side
  bool broken = false;  ///< a layer takes several rows
  int columns = 1;
  int target = 0;  ///< pixels of a panel's longer side
};

/// What stands in a tile.
struct PageCell {
  int layer = 0, head = -1;
};

bool chosen(int layer, int head, const MechanismPlotStyle& style) {
  return (style.layer < 0 || style.layer == layer) &&
         (style.head < 0 || head < 0 || style.head == head);
}

std::vector<PageCell> cellsOf(const MechanismPlot& image, const MechanismPlotStyle& style) {
  std::vector<PageCell> cells;
  for (const int layer : image.layers())
    for (const int head : image.heads(layer))
      if (chosen(layer, head, style)) cells.push_back({layer, head});
  return cells;
}

/// Few are large; a matrix or kernel has a whole number of pixels an entry all the same.
int targetOf(MechanismPlotKind kind, std::size_t cells, int columns) {
  constexpr std::size_t kFew = 12, kMany = 512;
  if (cells == 1) return 448;
  if (columns <= kSharedColumns && cells <= kFew) return 224;
  if (columns <= kPageColumns) return 112;
  if (kind == MechanismPlotKind::Heatmap) return 56;
  return cells <= kMany ? 44 : 28;
}

PageShape pageShapeOf(const MechanismPlot& image, const std::vector<PageCell>& cells,
                      const MechanismPlotStyle& style) {
  PageShape shape;
  int most = 0, run = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    run = i > 0 && cells[i].layer == cells[i - 1].layer ? run + 1 : 1;
    most = std::max(most, run);
  }
  shape.shared = most == 1;
  shape.broken = most > kManyColumns;
  shape.columns = shape.shared ? std::min(static_cast<int>(cells.size()), kSharedColumns)
                               : std::min(most, kManyColumns);
  shape.target =
      style.tile > 0 ? style.tile : targetOf(image.info.kind, cells.size(), shape.columns);
  return shape;
}

std::string shortText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

std::string scaleText(const MechanismPlotInfo& info, const ValueRange& range) {
  return info.isSigned ? "±" + shortText(range.high)
                       : shortText(range.low) + " to " + shortText(range.high);
}

std::size_t panelAt(const MechanismPlot& image, const PageCell& cell) {
  const auto found =
      std::find_if(image.panels.begin(), image.panels.end(), [&](const MechanismPlotPanel& panel) {
        return panel.layer == cell.layer && panel.head == cell.head;
      });
  return static_cast<std::size_t>(found - image.panels.begin());
}

/// The values of all cells that share a scale.
ValueRange rangeAt(const MechanismPlot& image, const PageCell& cell,
                   const MechanismPlotStyle& style) {
  if (image.info.kind != MechanismPlotKind::Curves)
    return plotRange(image, panelAt(image, cell), style);
  std::vector<float> values;
  for (const PageCell& each : style.sharedScale ? cellsOf(image, style) : std::vector{cell})
    for (const MechanismPlotCurve& curve : image.curves)
      if (curve.layer == each.layer && (curve.head < 0 || curve.head == each.head))
        values.insert(values.end(), curve.values.begin(), curve.values.end());
  return valueRange(values);
}

std::string captionOf(const MechanismPlot& image, const PageCell& cell, const PageShape& shape,
                      const MechanismPlotStyle& style, int width) {
  if (shape.columns > kPageColumns) return "";
  std::string text =
      shape.shared ? plotPlaceText(cell.layer, cell.head) : "head " + std::to_string(cell.head);
  if (style.sharedScale || width < kCaptionWidth) return text;
  const ValueRange range = rangeAt(image, cell, style);
  return text + "  " +
         (image.info.kind == MechanismPlotKind::Curves
              ? shortText(range.low) + " to " + shortText(range.high)
              : scaleText(image.info, range));
}

std::string rowLabel(const PageCell& first, const PageCell& last, const PageShape& shape) {
  if (shape.shared) return "";
  std::string text = "layer " + std::to_string(first.layer);
  if (shape.broken)
    text += ", heads " + std::to_string(first.head) + "–" + std::to_string(last.head);
  return text;
}

std::string footnoteOf(const MechanismPlot& image, const MechanismPlotStyle& style,
                       const MechanismPlotTiles& tiles) {
  const bool curves = image.info.kind == MechanismPlotKind::Curves;
  const int reduced = tiles.reduced();
  std::string text = curves ? plotLegend(image) : "";
  addTo(text, style.sharedScale ? "one scale for all heads" : "each head on its own scale", "; ");
  if (image.info.isSigned && !curves) addTo(text, "0 is the neutral color", "; ");
  if (tiles.cropped()) addTo(text, "each tile shows the query's window", "; ");
  if (reduced > 1)
    addTo(text,
          "reduced: each pixel is the mean of " + std::to_string(reduced) + " x " +
              std::to_string(reduced) + " entries",
          "; ");
  text += ". " + image.info.meaning + " (" + image.info.source + ")";
  return image.note.empty() ? text : text + " Here: " + image.note + ".";
}

/// Tiles row by row; where a layer ends the rest of its row stays empty.
FigureGrid laidOut(const MechanismPlot& image, const std::vector<PageCell>& cells,
                   const std::vector<Image>& images, const PageShape& shape,
                   const MechanismPlotStyle& style) {
  FigureGrid figure;
  figure.columns = shape.columns;
  const Image& tile = images.front();
  for (std::size_t i = 0; i < cells.size();) {
    std::size_t end = i;
    while (end < cells.size() && end - i < static_cast<std::size_t>(shape.columns) &&
           (shape.shared || cells[end].layer == cells[i].layer))
      ++end;
    if (!shape.shared) figure.rowLabels.push_back(rowLabel(cells[i], cells[end - 1], shape));
    for (std::size_t at = i; at < i + static_cast<std::size_t>(shape.columns); ++at)
      if (at < end)
        figure.tiles.push_back({images[at], captionOf(image, cells[at], shape, style, tile.width)});
      else if (!shape.shared || i > 0)
        figure.tiles.push_back({paddedTile({}, tile.width, tile.height), ""});
    i = end;
  }
  return figure;
}

FigureGrid figureOf(const MechanismPlot& image, const std::string& subject,
                    const MechanismPlotStyle& style, const Image& view) {
  const auto cells = cellsOf(image, style);
  if (cells.empty())
    throw Failure({ErrorCode::InvalidArgument, tr("nothing to draw: no such layer or head"),
                   image.info.name});
  const bool curves = image.info.kind == MechanismPlotKind::Curves;
  const PageShape shape = pageShapeOf(image, cells, style);
  MechanismPlotTiles tiles(image, style, shape.target, view);
  for (const PageCell& cell : cells)
    if (curves)
      tiles.addCurves(cell.layer, cell.head, rangeAt(image, cell, style));
    else
      tiles.addPanel(panelAt(image, cell));
  FigureGrid figure = laidOut(image, cells, tiles.images(), shape, style);
  figure.title = subject.empty() ? plotTitle(image) : subject + ": " + plotTitle(image);
  figure.footnote = footnoteOf(image, style, tiles);
  figure.colorBar = style.sharedScale && !curves;
  figure.colorMap = plotColors(image.info, style);
  if (figure.colorBar) figure.range = rangeAt(image, cells.front(), style);
  return figure;
}

}  // namespace

std::vector<std::size_t> plotChosen(const MechanismPlot& image, const MechanismPlotStyle& style) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < image.panels.size(); ++i)
    if (chosen(image.panels[i].layer, image.panels[i].head, style)) all.push_back(i);
  return all;
}

ValueRange plotRange(const MechanismPlot& image, std::size_t panel,
                     const MechanismPlotStyle& style) {
  if (panel >= image.panels.size()) return {};
  constexpr double kEnd = std::numeric_limits<double>::infinity();
  ValueRange whole{kEnd, -kEnd};
  for (const std::size_t i :
       style.sharedScale ? plotChosen(image, style) : std::vector<std::size_t>{panel}) {
    const ValueRange range = valueRange(image.panels[i].values, image.info.isSigned);
    whole = {std::min(whole.low, range.low), std::max(whole.high, range.high)};
  }
  return {whole.low + 0.0, whole.high};  // no -0
}

ColorMap plotColors(const MechanismPlotInfo& info, const MechanismPlotStyle& style) {
  return info.isSigned ? ColorMap::Diverging : style.colorMap;
}

Result<Image> plotPage(const MechanismPlot& image, const std::string& subject,
                       const MechanismPlotStyle& style, const Image& view) {
  return guarded(image.info.name,
                 [&] { return composeFigure(figureOf(image, subject, style, view)); });
}

Result<Drawing> plotPageDrawing(const MechanismPlot& image, const std::string& subject,
                                const MechanismPlotStyle& style, const Image& view) {
  return guarded(image.info.name, [&] { return drawGrid(figureOf(image, subject, style, view)); });
}

}  // namespace headlight
