// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figures/AttendPictures.h"

#include <algorithm>
#include <cstdio>

#include "app/cli/figures/MapPictures.h"
#include "app/cli/terminal/Command.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/figures/PageColumn.h"

namespace headlight::cli {
namespace {

Query tokenQuery(int token, const Grid& grid) {
  return {token, tokenText(token, grid)};
}

std::string predictionText(const InferenceResult& look) {
  if (look.top.empty()) return "";
  char share[16];
  std::snprintf(share, sizeof share, " %.1f %%", 100 * look.top.front().probability);
  return "; predicted: " + look.top.front().name + share;
}

/// Mid-grey, so that both ends of every colour map show on it.
Image plainGround(int width, int height) {
  return {width, height,
          std::make_shared<const std::vector<std::uint8_t>>(
              std::size_t{3} * static_cast<std::size_t>(width) * height, std::uint8_t{128})};
}

Image whiteTile(const Image& like) {
  return {like.width, like.height,
          std::make_shared<const std::vector<std::uint8_t>>(
              static_cast<std::size_t>(like.width) * like.height * 3, 255)};
}

std::string tileCaption(const Scene& scene, int layer, int head) {
  const InferenceResult& look = scene.look;
  std::string caption = "head " + std::to_string(head);
  if (!scene.learned && layer < static_cast<int>(look.locality.size()) &&
      head < static_cast<int>(look.locality[layer].size())) {
    char score[24];
    std::snprintf(score, sizeof score, "  ALS %.2f", look.locality[layer][head]);
    caption += score;
  }
  const HeadMask& mask = scene.masks.at(layer, head);
  if (mask.kind != MaskKind::None) caption += "  " + toText(mask);
  return caption;
}

/// The query as a token of this layer; −1 where it has no maps or the token joins later.
int tokenInLayer(const LayerMaps& maps, const Query& query, const Grid& model) {
  return maps.empty() ? -1 : queryInLayer(query.token, model, maps.grid);
}

/// The maps' values of one query token: [layer][head] of rows × cols, no heads where a layer does
/// not have the token.
using HeadValues = std::vector<std::vector<std::vector<float>>>;

HeadValues valuesOf(const AttentionMaps& maps, const Query& query, const Grid& model) {
  HeadValues values(maps.layers.size());
  for (std::size_t l = 0; l < maps.layers.size(); ++l)
    if (const int token = tokenInLayer(maps.layers[l], query, model); token >= 0)
      for (int h = 0; h < maps.layers[l].heads; ++h)
        values[l].push_back(patchesSeenBy(maps.layers[l], h, token));
  return values;
}

/// "attention of the class token", "inner bias B_i at the patch (2, 1)".
std::string subjectText(const Scene& scene, const Query& query) {
  return scene.learned ? scene.learned->title + " at the " + query.text
                       : "attention of the " + query.text;
}

/// What is the same for every picture of a scene: masks, prediction, what a map is.
std::string sceneText(const Scene& scene) {
  std::string text;
  if (scene.masks.maskedHeads() > 0) text += "; masks: " + schemeTitle(scene.masks);
  text += predictionText(scene.look);
  const std::string& meaning = scene.maps().meaning;
  return meaning.empty() ? text : text + ". " + meaning;
}

/// What lies under `area`, at the size of the whole.
Image partOf(const Image& view, const PatchArea& area, const Grid& grid) {
  if (area.rows == grid.rows && area.cols == grid.cols) return view;
  const double across = double(view.width) / grid.cols, down = double(view.height) / grid.rows;
  return resample(view,
                  {area.col * across, area.row * down, (area.col + area.cols) * across,
                   (area.row + area.rows) * down},
                  view.width, view.height, {0, 0, view.width, view.height}, Interpolation::Bicubic);
}

/// Learned maps are of no picture.
Image groundOf(const Scene& scene, int width) {
  const Image view = scaledView(scene.look, width);
  return scene.learned ? plainGround(view.width, view.height) : view;
}

/// One map with its scale.
Image singlePicture(const Image& ground, const std::vector<float>& values, const Grid& grid,
                    const DrawnMap& drawn, const std::string& title, const std::string& footnote,
                    const PictureStyle& style) {
  FigureGrid figure;
  figure.title = title;
  figure.footnote = footnote;
  figure.colorMap = drawn.colorMap;
  figure.colorBar = true;
  figure.range = drawn.range;
  figure.tiles.push_back(
      {pictureUnder(ground, values, grid.rows, grid.cols, drawn, style, style.smooth), ""});
  return composeFigure(figure);
}

}  // namespace

Query middlePatch(const Grid& grid) {
  return tokenQuery(grid.prefix + grid.rows / 2 * grid.cols + grid.cols / 2, grid);
}

Query queryFromText(const std::string& text, const Grid& grid) {
  const auto token = tokenFromText(text, grid);
  if (!token) refuseUsage("--query " + text, token.error().message);
  return tokenQuery(*token, grid);
}

const LearnedMap* learnedFromName(const std::string& name, const std::vector<LearnedMap>& maps,
                                  const std::vector<std::string>& others) {
  std::string known = "attention";
  for (const LearnedMap& map : maps) {
    if (map.name == name) return &map;
    known += ", " + map.name;
  }
  if (name == "attention") return nullptr;
  for (const std::string& other : others)
    known += ", " + other;
  for (const ExplanationInfo& way : waysOfLooking())
    known += ", " + way.name;
  refuseUsage("--show", "this model's mechanism has no " + name + "; it has " + known);
}

std::vector<RawArray> learnedArrays(const LearnedMap& map, const Query& query, const Grid& grid) {
  std::vector<RawArray> arrays;
  const HeadValues values = valuesOf(map.maps, query, grid);
  for (std::size_t l = 0; l < values.size(); ++l) {
    if (values[l].empty()) continue;
    const LayerMaps& layer = map.maps.layers[l];
    RawArray& array = arrays.emplace_back();
    array.name = map.name + "." + std::to_string(l);
    array.shape = {layer.heads, layer.grid.rows, layer.grid.cols};
    for (const auto& head : values[l])
      array.values.insert(array.values.end(), head.begin(), head.end());
  }
  return arrays;
}

Image gridPicture(const Scene& scene, const Query& query, const PictureStyle& style) {
  const AttentionMaps& maps = scene.maps();
  const HeadValues values = valuesOf(maps, query, scene.model.grid);
  const auto drawnOf = [&](const std::vector<float>& of) {
    return drawnMap(of, maps.isSigned, style.style, style.colorMap);
  };
  std::optional<DrawnMap> shared;
  if (style.sharedScale) shared = drawnOf(seenInAllHeads(maps, scene.model.grid, query.token));
  const Image view = groundOf(scene, style.tile);
  FigureGrid figure;
  figure.title = scene.name + ": " + subjectText(scene, query);
  figure.footnote =
      (shared ? withNote("one scale for all heads, " + rangeText(shared->range), *shared)
              : "each head on a scale of its own") +
      (maps.inWindows() ? "; each tile is the window of the query" : "") + sceneText(scene);
  figure.colorBar = style.sharedScale;
  if (shared) {
    figure.colorMap = shared->colorMap;
    figure.range = shared->range;
  }
  for (const auto& layer : maps.layers)
    figure.columns = std::max(figure.columns, layer.heads);
  for (std::size_t l = 0; l < values.size(); ++l) {
    figure.rowLabels.push_back("layer " + std::to_string(l));
    const LayerMaps& layer = maps.layers[l];
    for (int h = 0; h < figure.columns; ++h) {
      if (h >= static_cast<int>(values[l].size())) {
        figure.tiles.push_back({whiteTile(view), ""});
        continue;
      }
      const PatchArea area = areaInSight(layer, tokenInLayer(layer, query, scene.model.grid));
      figure.tiles.push_back(
          {pictureUnder(partOf(view, area, layer.grid), valuesIn(area, values[l][h], layer.grid),
                        area.rows, area.cols, shared ? *shared : drawnOf(values[l][h]), style,
                        drawnSmooth(layer, style.smooth)),
           tileCaption(scene, static_cast<int>(l), h)});
    }
  }
  return composeFigure(figure);
}

std::optional<Image> headPicture(const Scene& scene, int layer, int head, const Query& query,
                                 const PictureStyle& style) {
  const LayerMaps& maps = scene.maps().layers[layer];
  const int token = tokenInLayer(maps, query, scene.model.grid);
  if (token < 0) return std::nullopt;
  const std::vector<float> values = patchesSeenBy(maps, head, token);
  const DrawnMap drawn = drawnMap(values, scene.maps().isSigned, style.style, style.colorMap);
  std::string subject = subjectText(scene, query);
  if (maps.windows) subject += ", " + describeWindowPlace(maps, token);
  PictureStyle own = style;
  own.smooth = drawnSmooth(maps, style.smooth);
  return singlePicture(
      groundOf(scene, style.single), values, maps.grid, drawn,
      scene.name + ": layer " + std::to_string(layer) + ", " + tileCaption(scene, layer, head),
      subject + ", " + withNote(rangeText(drawn.range), drawn) + sceneText(scene), own);
}

Image rolloutPicture(const Scene& scene, const std::vector<float>& values,
                     const std::string& description, const PictureStyle& style) {
  const InferenceResult& look = scene.look;
  const DrawnMap drawn = drawnMap(values, false, style.style, style.colorMap);
  std::string footnote = description + ", " + withNote(rangeText(drawn.range), drawn);
  const std::string first =
      rolloutPreparation(scene.model.mapIsSigned, scene.model.mapRowsSumToOne);
  if (!first.empty()) footnote += "; " + first;
  footnote += sceneText(scene);
  return singlePicture(scaledView(look, style.single), values, look.maps.layers.front().grid, drawn,
                       scene.name + ": rollout", footnote, style);
}

}  // namespace headlight::cli
