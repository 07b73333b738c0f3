#include "app/cli/AttendPictures.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>

#include "app/cli/Command.h"

namespace headlight::cli {
namespace {

std::optional<int> wholeNumber(std::string_view text) {
  int value = 0;
  const auto end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end || text.empty()) return std::nullopt;
  return value;
}

Query patchQuery(int patch, const Grid& grid) {
  return {grid.prefix + patch, "patch " + std::to_string(patch) + " (row " +
                                   std::to_string(patch / grid.cols) + ", column " +
                                   std::to_string(patch % grid.cols) + ")"};
}

std::string rangeText(const ValueRange& range) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3g to %.3g", range.low, range.high);
  return text;
}

std::string predictionText(const Look& look) {
  if (look.top.empty()) return "";
  char share[16];
  std::snprintf(share, sizeof share, " %.1f %%", 100 * look.top.front().probability);
  return "; predicted: " + look.top.front().name + share;
}

/// The view at `width` pixels, its sides' ratio kept.
Image scaledView(const Look& look, int width) {
  const int height = std::max(1, width * look.view.height / std::max(1, look.view.width));
  return resize(look.view, width, height, Interpolation::Bicubic);
}

Image whiteTile(const Image& like) {
  return {like.width, like.height,
          std::make_shared<const std::vector<std::uint8_t>>(
              static_cast<std::size_t>(like.width) * like.height * 3, 255)};
}

std::string tileCaption(const Scene& scene, int layer, int head) {
  const Look& look = scene.look;
  std::string caption = "head " + std::to_string(head);
  if (layer < static_cast<int>(look.locality.size()) &&
      head < static_cast<int>(look.locality[layer].size())) {
    char score[24];
    std::snprintf(score, sizeof score, "  ALS %.2f", look.locality[layer][head]);
    caption += score;
  }
  const HeadMask& mask = scene.masks.at(layer, head);
  if (mask.kind != MaskKind::None) caption += "  " + toText(mask);
  return caption;
}

/// The maps' values of one query token: [layer][head] of rows × cols.
using HeadValues = std::vector<std::vector<std::vector<float>>>;

HeadValues valuesOf(const AttentionMaps& maps, int token) {
  HeadValues values(maps.layers.size());
  for (std::size_t l = 0; l < maps.layers.size(); ++l)
    for (int h = 0; h < maps.layers[l].heads; ++h)
      values[l].push_back(patchesSeenBy(maps.layers[l], h, token));
  return values;
}

ValueRange sharedRange(const HeadValues& values, bool isSigned) {
  std::vector<float> all;
  for (const auto& layer : values)
    for (const auto& head : layer)
      all.insert(all.end(), head.begin(), head.end());
  return rangeOf(all, isSigned);
}

/// What is the same for every picture of a scene: masks, prediction, what a map is.
std::string sceneText(const Scene& scene) {
  std::string text;
  if (scene.masks.maskedHeads() > 0) text += "; masks: " + scene.masks.name();
  text += predictionText(scene.look);
  const std::string& meaning = scene.look.maps.meaning;
  return meaning.empty() ? text : text + ". " + meaning;
}

/// One overlay with its scale.
Image singlePicture(const Look& look, const std::vector<float>& values, const Grid& grid,
                    const std::string& title, const std::string& footnote,
                    const PictureStyle& style) {
  const ValueRange range = rangeOf(values, look.maps.isSigned);
  FigureGrid figure;
  figure.title = title;
  figure.footnote = footnote;
  figure.colorMap = style.colorMap;
  figure.colorBar = true;
  figure.range = range;
  figure.tiles.push_back({overlay(scaledView(look, style.single), values, grid.rows, grid.cols,
                                  range, style.colorMap, style.opacity, style.smooth),
                          ""});
  return composeFigure(figure);
}

}  // namespace

Query queryFromText(const std::string& text, const Grid& grid) {
  const auto refuse = [&](const std::string& message) { refuseUsage("--query " + text, message); };
  if (text == "class" || (text.empty() && grid.prefix > 0)) {
    if (grid.prefix == 0) refuse("this model has no class token; give a patch, such as 0,0");
    return {0, "class token"};
  }
  if (text == "distillation") {
    if (grid.prefix < 2) refuse("this model has no distillation token; give class or a patch");
    return {1, "distillation token"};
  }
  if (text.empty()) return patchQuery(grid.rows / 2 * grid.cols + grid.cols / 2, grid);
  const auto comma = text.find(',');
  if (comma == std::string::npos) {
    const auto patch = wholeNumber(text);
    if (!patch || *patch < 0 || *patch >= grid.patches())
      refuse("must be class, a patch from 0 to " + std::to_string(grid.patches() - 1) +
             ", or row,column");
    return patchQuery(*patch, grid);
  }
  const auto row = wholeNumber(std::string_view(text).substr(0, comma));
  const auto col = wholeNumber(std::string_view(text).substr(comma + 1));
  if (!row || !col || *row < 0 || *col < 0 || *row >= grid.rows || *col >= grid.cols)
    refuse("must be row,column of a grid of " + std::to_string(grid.rows) + " rows and " +
           std::to_string(grid.cols) + " columns, counted from 0");
  return patchQuery(*row * grid.cols + *col, grid);
}

Image gridPicture(const Scene& scene, const Query& query, const PictureStyle& style) {
  const Look& look = scene.look;
  const HeadValues values = valuesOf(look.maps, query.token);
  const ValueRange shared = sharedRange(values, look.maps.isSigned);
  const Image view = scaledView(look, style.tile);
  FigureGrid figure;
  figure.title = scene.name + ": attention of the " + query.text;
  figure.footnote = (style.sharedScale ? "one scale for all heads, " + rangeText(shared)
                                       : "each head on a scale of its own") +
                    sceneText(scene);
  figure.colorMap = style.colorMap;
  figure.colorBar = style.sharedScale;
  figure.range = shared;
  for (const auto& layer : look.maps.layers)
    figure.columns = std::max(figure.columns, layer.heads);
  for (std::size_t l = 0; l < values.size(); ++l) {
    figure.rowLabels.push_back("layer " + std::to_string(l));
    const Grid& grid = look.maps.layers[l].grid;
    for (int h = 0; h < figure.columns; ++h) {
      if (h >= static_cast<int>(values[l].size())) {
        figure.tiles.push_back({whiteTile(view), ""});
        continue;
      }
      const ValueRange range =
          style.sharedScale ? shared : rangeOf(values[l][h], look.maps.isSigned);
      figure.tiles.push_back({overlay(view, values[l][h], grid.rows, grid.cols, range,
                                      style.colorMap, style.opacity, style.smooth),
                              tileCaption(scene, static_cast<int>(l), h)});
    }
  }
  return composeFigure(figure);
}

Image headPicture(const Scene& scene, int layer, int head, const Query& query,
                  const PictureStyle& style) {
  const Look& look = scene.look;
  const LayerMaps& maps = look.maps.layers[layer];
  const std::vector<float> values = patchesSeenBy(maps, head, query.token);
  const ValueRange range = rangeOf(values, look.maps.isSigned);
  return singlePicture(
      look, values, maps.grid,
      scene.name + ": layer " + std::to_string(layer) + ", " + tileCaption(scene, layer, head),
      "attention of the " + query.text + ", " + rangeText(range) + sceneText(scene), style);
}

Image rolloutPicture(const Scene& scene, const std::vector<float>& values,
                     const std::string& description, const PictureStyle& style) {
  const Look& look = scene.look;
  const ValueRange range = rangeOf(values, false);
  std::string footnote = description + ", " + rangeText(range);
  if (look.maps.isSigned) footnote += "; maps clamped at 0 and rows normalised first";
  footnote += sceneText(scene);
  return singlePicture(look, values, look.maps.layers.front().grid, scene.name + ": rollout",
                       footnote, style);
}

}  // namespace headlight::cli
