// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/figures/PageTiles.h"

#include <cmath>
#include <utility>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/workbench/attribution/ExplanationImages.h"
#include "core/workbench/session/MapRendering.h"

namespace headlight {
namespace {

int askedToken(const PageContext& asking, const PageColumn& column) {
  const std::string& query = column.query.empty() ? asking.page.options.query : column.query;
  return valueOrThrow(tokenFromText(query, asking.session.info().grid));
}

/// The token that looks, as one of a layer; Failure where it joins later.
int tokenOfLayer(const PageContext& asking, const PageColumn& column, const Grid& layer,
                 std::size_t index) {
  const Grid& model = asking.session.info().grid;
  const int token = askedToken(asking, column);
  const int there = queryInLayer(token, model, layer);
  if (there >= 0) return there;
  throw Failure({ErrorCode::InvalidArgument,
                 tr("that layer does not have the ") + tokenText(token, model) +
                     tr(", which joins at a later layer; choose a patch or a later layer"),
                 "columns[" + std::to_string(index) + "], " + toText(column)});
}

Heatmap imageTileHeatmap(const PageContext& asking, const ExplanationInfo& method,
                         const RawImages& image, const PageColumn& column) {
  const std::string& text =
      column.classText.empty() ? asking.page.options.classText : column.classText;
  ExplanationOptions options;
  if (method.ofClass && !text.empty())
    options.classIndex = valueOrThrow(classFromText(text, asking.session.info()));
  options.layer = column.layer;
  return valueOrThrow(
      imageHeatmap(asking.session, image, asking.masks, method.name, options, {}, asking.stop));
}

Heatmap tokenTileHeatmap(const PageContext& asking, const ExplanationInfo& method,
                         const RawImages& image, const PageColumn& column, std::size_t index) {
  const TokenFeatures features =
      valueOrThrow(tokenFeatures(asking.session, image, asking.masks, column.layer, asking.stop));
  return valueOrThrow(
      tokenHeatmap(method.name, features, tokenOfLayer(asking, column, features.grid, index)));
}

/// Maps of a file have no masks.
MaskSight columnSight(const PageContext& asking, const AttentionMaps& maps,
                      const PageColumn& column) {
  const ModelInfo& info = asking.session.info();
  if (info.isPrecomputed) return {};
  InferenceResult known;
  known.maps = maps;
  known.alphas = valueOrThrow(asking.session.softAlphas(asking.masks));
  known.learned = valueOrThrow(asking.session.learnedMaps());
  return maskSight(
      {info, asking.masks, &known, column.layer, column.head, askedToken(asking, column)});
}

}  // namespace

PageTile imageTile() {
  PageTile tile;
  tile.subject = "image";
  tile.words = "the part of the image that the model sees";
  return tile;
}

PageTile attentionTile(const PageContext& asking, const AttentionMaps& maps,
                       const PageColumn& column, std::size_t index) {
  const LayerMaps& layer = maps.layers[static_cast<std::size_t>(column.layer)];
  if (layer.empty())
    throw Failure({ErrorCode::InvalidArgument,
                   tr("that layer has no attention maps; choose another"),
                   "columns[" + std::to_string(index) + "], " + toText(column)});
  const int token = tokenOfLayer(asking, column, layer.grid, index);
  PageTile tile;
  tile.subject = "layer " + std::to_string(column.layer) + ", " +
                 (column.head < 0 ? "mean of heads" : "head " + std::to_string(column.head));
  tile.words = "attention of the " +
               tokenText(askedToken(asking, column), asking.session.info().grid) + " in " +
               tile.subject;
  tile.values =
      column.head < 0 ? patchesSeenBy(layer, token) : patchesSeenBy(layer, column.head, token);
  tile.grid = layer.grid;
  tile.isSigned = maps.isSigned;
  tile.blends = drawnSmooth(layer, true);
  tile.mask = columnSight(asking, maps, column);
  if (asking.masks.contains(column.layer, column.head)) {
    const HeadMask& mask = asking.masks.at(column.layer, column.head);
    if (mask.kind != MaskKind::None) tile.note = tile.subject + " is masked: " + shortText(mask);
  }
  if (!column.query.empty())
    tile.subject += ", " + tokenText(askedToken(asking, column), asking.session.info().grid);
  return tile;
}

PageTile rolloutTile(const PageContext& asking, const AttentionMaps& maps) {
  const RolloutOptions options{headFusionFromName(asking.page.options.fusion).value(),
                               asking.page.options.discard};
  const ModelInfo& info = asking.session.info();
  PageTile tile;
  tile.subject = "rollout";
  tile.words =
      "rollout of attention through all layers (Abnar & Zuidema 2020), " + rolloutWords(options);
  tile.values = valueOrThrow(rollout(maps, options));
  tile.grid = maps.layers.front().grid;
  const std::string first = rolloutPreparation(info.mapIsSigned, info.mapRowsSumToOne);
  if (!first.empty()) tile.note = "for rollout " + first;
  return tile;
}

PageTile explanationTile(const PageContext& asking, const RawImages& image,
                         const PageColumn& column, std::size_t index) {
  const ExplanationInfo& method = *explanationFromName(column.shows);
  Heatmap heatmap = method.ofToken ? tokenTileHeatmap(asking, method, image, column, index)
                                   : imageTileHeatmap(asking, method, image, column);
  PageTile tile;
  tile.className = std::exchange(heatmap.className, "");
  tile.subject = heatmapTitle(heatmap);
  tile.words = tile.subject + " (" + method.source + ")";
  if (!heatmap.note.empty()) tile.note = std::string(tile.subject) + ": " + heatmap.note;
  tile.values = std::move(heatmap.values);
  tile.grid = heatmap.grid;
  tile.isSigned = heatmap.isSigned;
  tile.box = heatmap.box;
  tile.blends = !heatmap.box;  // a mask has edges
  return tile;
}

PageTile foundTile(const PageContext& asking, const InferenceResult& inference,
                   const PageColumn& column) {
  PageTile tile;
  tile.subject = column.shows;
  if (column.shows == "segments") {
    tile.segments = inference.segments;
    tile.words = "segments, the likeliest class of every pixel";
    return tile;
  }
  const double threshold = asking.page.options.threshold;
  tile.objects = objectsAbove(inference.objects, threshold);
  tile.words = "boxes that score at least " + numberText(std::round(1000 * threshold) / 10) + " %";
  if (tile.objects.empty()) tile.note = "where there is no box, none scores as much";
  return tile;
}

PageTile colorsTile(const PageColumn& column, const FeatureColors& colors, std::size_t index) {
  const ExplanationInfo& method = findInfo(column.shows);
  PageTile tile;
  tile.subject = method.title;
  tile.words =
      method.title + " (" + method.source + "), " + colors.note + ", " + varianceText(colors);
  tile.colors = colors.images[index];
  tile.grid = tile.colors->grid;
  return tile;
}

}  // namespace headlight
