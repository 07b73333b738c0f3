// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/figures/PageTiles.h"

#include <utility>

#include "core/base/Text.h"
#include "core/workbench/attribution/ExplanationImages.h"
#include "core/workbench/session/MapView.h"

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
                 "that layer does not have the " + tokenText(token, model) +
                     ", which joins later; choose a patch or a later layer",
                 "columns[" + std::to_string(index) + "], " + toText(column)});
}

Heatmap classTile(const PageContext& asking, const ExplanationInfo& way, const RawImages& picture,
                  const PageColumn& column) {
  const std::string& text =
      column.classText.empty() ? asking.page.options.classText : column.classText;
  ExplanationOptions options;
  if (!text.empty()) options.classIndex = valueOrThrow(classFromText(text, asking.session.info()));
  options.layer = column.layer;
  return valueOrThrow(
      classHeat(asking.session, picture, asking.masks, way.way, options, {}, asking.stop));
}

Heatmap similarTile(const PageContext& asking, const RawImages& picture, const PageColumn& column,
                    std::size_t index) {
  const TokenFeatures features =
      valueOrThrow(tokenFeatures(asking.session, picture, asking.masks, column.layer, asking.stop));
  return valueOrThrow(similarityHeat(features, tokenOfLayer(asking, column, features.grid, index)));
}

}  // namespace

PageTile pictureTile() {
  PageTile tile;
  tile.subject = "picture";
  tile.words = "the picture as the model sees it";
  return tile;
}

PageTile attentionTile(const PageContext& asking, const AttentionMaps& maps,
                       const PageColumn& column, std::size_t index) {
  const LayerMaps& layer = maps.layers[static_cast<std::size_t>(column.layer)];
  if (layer.empty())
    throw Failure({ErrorCode::InvalidArgument, "that layer has no attention maps; choose another",
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
  if (asking.masks.contains(column.layer, column.head)) {
    const HeadMask& mask = asking.masks.at(column.layer, column.head);
    if (mask.kind != MaskKind::None) tile.note = tile.subject + " is masked: " + toText(mask);
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

PageTile wayTile(const PageContext& asking, const RawImages& picture, const PageColumn& column,
                 std::size_t index) {
  const ExplanationInfo& way = *wayFromName(column.shows);
  Heatmap heat = way.ofClass ? classTile(asking, way, picture, column)
                             : similarTile(asking, picture, column, index);
  PageTile tile;
  tile.className = std::exchange(heat.className, "");
  tile.subject = heatTitle(heat);
  tile.words = tile.subject + " (" + way.source + ")";
  if (!heat.note.empty()) tile.note = std::string(tile.subject) + ": " + heat.note;
  tile.values = std::move(heat.values);
  tile.grid = heat.grid;
  tile.isSigned = heat.isSigned;
  return tile;
}

PageTile colorsTile(const FeatureColors& colors, std::size_t index) {
  const ExplanationInfo& way = infoOf(ExplanationMethod::Features);
  PageTile tile;
  tile.subject = way.title;
  tile.words = way.title + " (" + way.source + "), " + colors.note + ", " + varianceText(colors);
  tile.colors = colors.pictures[index];
  tile.grid = tile.colors->grid;
  return tile;
}

}  // namespace headlight
