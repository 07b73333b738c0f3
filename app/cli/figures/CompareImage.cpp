// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figures/CompareImage.h"

#include <algorithm>
#include <cstring>

#include "core/base/Translation.h"

namespace headlight::cli {
namespace {

/// On white, at its top left: tiles of a figure are of one size.
Image padded(const Image& image, int width, int height) {
  if (image.width == width && image.height == height) return image;
  auto pixels = std::make_shared<std::vector<std::uint8_t>>(
      static_cast<std::size_t>(width) * height * 3, std::uint8_t{255});
  for (int y = 0; y < image.height; ++y)
    std::memcpy(pixels->data() + static_cast<std::size_t>(y) * width * 3, image.row(y),
                static_cast<std::size_t>(image.width) * 3);
  return {width, height, pixels};
}

Image tileOf(const ComparedScene& scene, const std::vector<float>& values, const DrawnMap& drawn,
             const ImageStyle& style) {
  const Grid grid = scene.grid();
  const bool smooth = scene.heatmap ? style.smooth : drawnSmooth(scene.maps(), style.smooth);
  return imageUnder(scaledView(*scene.inference, style.single), values, grid.rows, grid.cols, drawn,
                    style, smooth);
}

}  // namespace

const LayerMaps& ComparedScene::maps() const {
  return inference->maps.layers[static_cast<std::size_t>(layer)];
}

Grid ComparedScene::grid() const {
  return heatmap ? heatmap->grid : maps().grid;
}

bool ComparedScene::isSigned() const {
  return heatmap ? heatmap->isSigned : inference->maps.isSigned;
}

std::string ComparedScene::meaning() const {
  return heatmap ? heatmapMeaning(*heatmap) : inference->maps.meaning;
}

std::vector<float> ComparedScene::seen() const {
  if (heatmap) return heatmap->values;
  const int query = maps().empty() ? -1 : queryInLayer(token, model->grid, maps().grid);
  if (query < 0)
    throw Failure(
        {ErrorCode::InvalidArgument,
         tr("layer ") + std::to_string(layer) + tr(" has no ") + tokenText(token, model->grid) +
             tr(", which joins at a later layer; choose a later --layer or another --query"),
         title});
  return head < 0 ? patchesSeenBy(maps(), query) : patchesSeenBy(maps(), head, query);
}

std::string ComparedScene::place() const {
  if (heatmap) return heatmapTitle(*heatmap);
  return tr("layer ") + std::to_string(layer) +
         (head < 0 ? tr(", mean of heads, ") : tr(", head ") + std::to_string(head) + ", ") +
         tokenText(token, model->grid);
}

Image comparisonImage(const ComparedScene& left, const ComparedScene& right,
                      const MapDifference* difference, const ImageStyle& style) {
  const std::vector<float> leftValues = left.seen(), rightValues = right.seen();
  const bool isSigned = left.isSigned() || right.isSigned();
  const DrawnMap drawn =
      drawnTogether(leftValues, rightValues, isSigned, style.style, style.colorMap);
  FigureGrid figure;
  figure.title = left.title + "   |   " + right.title;
  figure.footnote = tr("left and right on one scale, ") + withNote(rangeText(drawn.range), drawn);
  figure.tiles = {{tileOf(left, leftValues, drawn, style), left.place()},
                  {tileOf(right, rightValues, drawn, style), right.place()}};
  if (difference) {
    figure.tiles.push_back({tileOf(right, difference->values, drawnDifference(*difference), style),
                            tr("right - left")});
    figure.footnote += tr("; right - left on its own, 0 in the middle: ") +
                       differenceText(*difference, left.grid());
  }
  figure.columns = static_cast<int>(figure.tiles.size());
  int height = 0;
  for (const FigureTile& tile : figure.tiles)
    height = std::max(height, tile.image.height);
  for (FigureTile& tile : figure.tiles)
    tile.image = padded(tile.image, style.single, height);
  for (const std::string& meaning : {left.meaning(), right.meaning()})
    if (!meaning.empty() && figure.footnote.find(meaning) == std::string::npos)
      figure.footnote += ". " + meaning;
  figure.colorMap = drawn.colorMap;
  figure.colorBar = true;
  figure.range = drawn.range;
  return composeFigure(figure);
}

}  // namespace headlight::cli
