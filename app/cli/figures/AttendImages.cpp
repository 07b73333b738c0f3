// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figures/AttendImages.h"

#include <algorithm>
#include <cstdio>

#include "app/cli/figures/MapImages.h"
#include "app/cli/figures/MaskOutlines.h"
#include "app/cli/terminal/Command.h"
#include "core/base/Translation.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/figures/PageColumn.h"

namespace headlight::cli {
namespace {

Query tokenQuery(int token, const Grid& grid) {
  return {token, tokenText(token, grid)};
}

std::string predictionText(const InferenceResult& inference) {
  if (inference.top.empty()) return "";
  char share[16];
  std::snprintf(share, sizeof share, " %.1f %%", 100 * inference.top.front().probability);
  return tr("; predicted: ") + inference.top.front().name + share;
}

/// Mid-gray, so that both ends of every color map show on it.
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

/// There is room for one: that its map is `uniform`, or its number.
std::string tileCaption(const Scene& scene, int layer, int head, bool uniform = false) {
  const InferenceResult& inference = scene.inference;
  std::string caption = tr("head ") + std::to_string(head);
  if (uniform) caption += tr("  uniform");
  if (!uniform && !scene.learned && layer < static_cast<int>(inference.locality.size()) &&
      head < static_cast<int>(inference.locality[layer].size())) {
    char score[24];
    std::snprintf(score, sizeof score, "  ALS %.2f", inference.locality[layer][head]);
    caption += score;
  }
  const HeadMask& mask = scene.masks.at(layer, head);
  if (mask.kind != MaskKind::None) caption += "  " + shortText(mask);
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
  return scene.learned ? scene.learned->title + tr(" at the ") + query.text
                       : tr("attention of the ") + query.text;
}

/// What is the same for every image of a scene: masks, prediction, what a map is.
std::string sceneText(const Scene& scene) {
  std::string text;
  if (scene.masks.maskedHeads() > 0) text += tr("; masks: ") + schemeTitle(scene.masks);
  text += predictionText(scene.inference);
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

/// Learned maps are of no image.
Image groundOf(const Scene& scene, int width) {
  const Image view = scaledView(scene.inference, width);
  return scene.learned ? plainGround(view.width, view.height) : view;
}

/// One map, as it is drawn, with its scale.
Image singleImage(const Image& tile, const DrawnMap& drawn, const std::string& title,
                  const std::string& footnote) {
  FigureGrid figure;
  figure.title = title;
  figure.footnote = footnote;
  figure.colorMap = drawn.colorMap;
  figure.colorBar = true;
  figure.range = drawn.range;
  figure.tiles.push_back({tile, ""});
  return composeFigure(figure);
}

}  // namespace

Query middlePatch(const Grid& grid) {
  return tokenQuery(grid.middleToken(), grid);
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
  for (const ExplanationInfo& method : explanationMethods())
    known += ", " + method.name;
  refuseUsage("--show", tr("this model's mechanism has no ") + name + tr("; it has ") + known);
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

Image gridImage(const Scene& scene, const Query& query, const ImageStyle& style) {
  const AttentionMaps& maps = scene.maps();
  const HeadValues values = valuesOf(maps, query, scene.model.grid);
  const auto drawnOf = [&](const std::vector<float>& of) {
    return drawnMap(of, maps.isSigned, style.style, style.colorMap);
  };
  std::optional<DrawnMap> shared;
  if (style.sharedScale) shared = drawnOf(seenInAllHeads(maps, scene.model.grid, query.token));
  const Image view = groundOf(scene, style.tile);
  MaskOutlines outlines(scene, query, style);
  FigureGrid figure;
  figure.title = scene.name + ": " + subjectText(scene, query);
  const std::string scaling =
      (shared ? withNote(tr("one scale for all heads, ") + rangeText(shared->range), *shared)
              : tr("each head on a scale of its own")) +
      (maps.inWindows() ? tr("; each tile shows the query's window") : "");
  figure.colorBar = style.sharedScale;
  if (shared) {
    figure.colorMap = shared->colorMap;
    figure.range = shared->range;
  }
  for (const auto& layer : maps.layers)
    figure.columns = std::max(figure.columns, layer.heads);
  for (std::size_t l = 0; l < values.size(); ++l) {
    figure.rowLabels.push_back(tr("layer ") + std::to_string(l));
    const LayerMaps& layer = maps.layers[l];
    for (int h = 0; h < figure.columns; ++h) {
      if (h >= static_cast<int>(values[l].size())) {
        figure.tiles.push_back({whiteTile(view), ""});
        continue;
      }
      const PatchArea area = areaInSight(layer, tokenInLayer(layer, query, scene.model.grid));
      const Image tile =
          imageUnder(partOf(view, area, layer.grid), valuesIn(area, values[l][h], layer.grid),
                     area.rows, area.cols, shared ? *shared : drawnOf(values[l][h]), style,
                     drawnSmooth(layer, style.smooth));
      figure.tiles.push_back(
          {outlines.over(tile, static_cast<int>(l), h),
           tileCaption(scene, static_cast<int>(l), h, isPracticallyUniform(values[l][h]))});
    }
  }
  figure.footnote = scaling + outlines.footnote() + sceneText(scene);
  return composeFigure(figure);
}

std::optional<Image> headImage(const Scene& scene, int layer, int head, const Query& query,
                               const ImageStyle& style) {
  const LayerMaps& maps = scene.maps().layers[layer];
  const int token = tokenInLayer(maps, query, scene.model.grid);
  if (token < 0) return std::nullopt;
  const std::vector<float> values = patchesSeenBy(maps, head, token);
  const DrawnMap drawn = drawnMap(values, scene.maps().isSigned, style.style, style.colorMap);
  std::string subject = subjectText(scene, query);
  if (maps.windows) subject += ", " + describeWindowPlace(maps, token);
  const Image tile = imageUnder(groundOf(scene, style.single), values, maps.grid.rows,
                                maps.grid.cols, drawn, style, drawnSmooth(maps, style.smooth));
  MaskOutlines outlines(scene, query, style);
  return singleImage(
      outlines.over(tile, layer, head), drawn,
      scene.name + tr(": layer ") + std::to_string(layer) + ", " + tileCaption(scene, layer, head),
      subject + ", " + withNote(rangeText(drawn.range), drawn) + outlines.text(layer, head) +
          sceneText(scene));
}

Image rolloutImage(const Scene& scene, const std::vector<float>& values,
                   const std::string& description, const ImageStyle& style) {
  const InferenceResult& inference = scene.inference;
  const DrawnMap drawn = drawnMap(values, false, style.style, style.colorMap);
  std::string footnote = description + ", " + withNote(rangeText(drawn.range), drawn);
  const std::string first =
      rolloutPreparation(scene.model.mapIsSigned, scene.model.mapRowsSumToOne);
  if (!first.empty()) footnote += "; " + first;
  footnote += sceneText(scene);
  const Grid& grid = inference.maps.layers.front().grid;
  return singleImage(imageUnder(scaledView(inference, style.single), values, grid.rows, grid.cols,
                                drawn, style, style.smooth),
                     drawn, scene.name + tr(": rollout"), footnote);
}

}  // namespace headlight::cli
