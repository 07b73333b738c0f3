// SPDX-License-Identifier: GPL-3.0-or-later

// PageDrawing.h: scales and single tiles.

#include <algorithm>
#include <cmath>
#include <map>

#include "core/workbench/attribution/ExplanationImages.h"
#include "core/workbench/figures/ObjectFigure.h"
#include "core/workbench/figures/PageDrawing.h"
#include "core/workbench/figures/SegmentFigure.h"
#include "core/workbench/session/Images.h"

namespace headlight {
namespace {

constexpr double kMillimetresPerInch = 25.4;

/// Which tiles share a scale; as the tiles stand on the page.
std::pair<std::size_t, std::size_t> scaleGroup(const PageOptions& options, std::size_t image,
                                               std::size_t column) {
  const bool rows = options.arrange == "rows";
  if (options.scale == "page") return {0, 0};
  if (options.scale == "own") return {image, column};
  return (options.scale == "row") == rows ? std::pair{image, std::size_t{0}}
                                          : std::pair{std::size_t{0}, column};
}

struct SharedValues {
  std::vector<float> values;
  bool isSigned = false;
};

DrawnMap drawnOf(const SharedValues& shared, const PageOptions& options) {
  const auto style = mapStyleFromName(options.style);
  const auto colors = colorMapFromName(options.colormap);
  return drawnMap(shared.values, shared.isSigned, style ? *style : MapStyle::Overlay,
                  colors ? *colors : ColorMap::Viridis);
}

}  // namespace

PageScales pageScales(const FigurePage& page, const PageContent& inference) {
  std::map<std::pair<std::size_t, std::size_t>, SharedValues> groups;
  const auto forEachMap = [&](const auto& use) {
    for (std::size_t r = 0; r < inference.rows.size(); ++r)
      for (std::size_t c = 0; c < inference.rows[r].tiles.size(); ++c)
        if (inference.rows[r].tiles[c]->isMap()) use(r, c, *inference.rows[r].tiles[c]);
  };
  forEachMap([&](std::size_t r, std::size_t c, const PageTile& tile) {
    SharedValues& group = groups[scaleGroup(page.options, r, c)];
    group.values.insert(group.values.end(), tile.values.begin(), tile.values.end());
    group.isSigned = group.isSigned || tile.isSigned;
  });
  std::map<std::pair<std::size_t, std::size_t>, DrawnMap> drawn;
  for (const auto& [key, shared] : groups)
    drawn[key] = drawnOf(shared, page.options);
  PageScales scales;
  for (const PageRow& row : inference.rows)
    scales.emplace_back(row.tiles.size());
  forEachMap([&](std::size_t r, std::size_t c, const PageTile&) {
    scales[r][c] = drawn[scaleGroup(page.options, r, c)];
  });
  return scales;
}

std::pair<int, int> tilePixels(const PageOptions& options, const Image& view) {
  const int width =
      std::max(1, static_cast<int>(std::lround(options.tile / kMillimetresPerInch * options.dpi)));
  return {width, std::max(1, width * view.height / std::max(1, view.width))};
}

namespace {

/// Pixels of a box's letters: a little smaller than the page's words, and a sixth of the tile at most.
int boxLetters(const PageOptions& options, int height) {
  constexpr double kPointsAnInch = 72, kSmaller = 0.85;
  const auto wanted = std::lround(kSmaller * options.font * options.dpi / kPointsAnInch);
  return std::max(6, std::min(static_cast<int>(wanted), height / 6));
}

/// What was found over the image.
Image withFound(const Image& ground, const PageOptions& options, const PageTile& tile) {
  if (tile.segments) return withSegmentColors(ground, tile.segments->image, tile.segments->seen);
  if (tile.objects.empty()) return ground;
  return withObjectBoxes(ground, tile.objects, boxLetters(options, ground.height));
}

Image mapTile(const PageOptions& options, const Image& view, const PageTile& tile,
              const std::optional<DrawnMap>& drawn, int width, int height) {
  const bool smooth = options.smooth && tile.blends;
  if (tile.colors) return featuresImage(*tile.colors, width, height, smooth);
  const auto ground = [&] { return resize(view, width, height, Interpolation::Bicubic); };
  if (!drawn) return withFound(ground(), options, tile);
  const int rows = tile.grid.rows, cols = tile.grid.cols;
  if (options.style == "map")
    return heatmap(tile.values, rows, cols, drawn->range, drawn->colorMap, width, height, smooth);
  if (drawn->style == MapStyle::Overlay)
    return overlay(ground(), tile.values, rows, cols, drawn->range, drawn->colorMap,
                   options.opacity, smooth);
  return headlightImage(ground(), tile.values, rows, cols, drawn->range,
                        {drawn->style == MapStyle::Warm, options.dim}, smooth);
}

}  // namespace

Image tileImage(const PageOptions& options, const Image& view, const PageTile& tile,
                const std::optional<DrawnMap>& drawn, int width, int height) {
  Image image = mapTile(options, view, tile, drawn, width, height);
  if (options.maskOutline) image = withMaskSight(image, tile.mask);
  return tile.box ? withObjectBox(image, *tile.box, boxLetters(options, height)) : image;
}

}  // namespace headlight
