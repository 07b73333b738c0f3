// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/objects/ObjectPass.h"

#include <ATen/ATen.h>

#include <cmath>
#include <utility>

#include "core/attention/base/AttentionHook.h"
#include "core/attention/base/QueryKeyCapture.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/models/backbones/FinalNorm.h"
#include "core/workbench/objects/AttentionMass.h"
#include "core/workbench/objects/LostRegion.h"
#include "core/workbench/objects/NormalizedCut.h"

namespace headlight {
namespace {

/// The map of the layer that runs and the values that its weights mix.
class ObjectLayerHook : public AttentionHook {
 public:
  bool wants(int) const override { return true; }
  void take(int, const at::Tensor& taken) override { map = taken; }
  void follow(int, FollowedMap followed) override { products = std::move(followed.products); }

  at::Tensor map;  ///< [1, H, T, T]
  std::vector<WeighedValues> products;
};

[[noreturn]] void refuseFeature(const std::string& feature) {
  throw Failure({ErrorCode::InvalidArgument,
                 tr("the attention of this layer has no ") + feature +
                     tr(" of every patch (it has windows, pooled tokens, or none at all); choose "
                        "the feature tokens"),
                 "feature"});
}

/// [1, H, T, d] → [T, H·d], heads side by side.
at::Tensor rowsOfHeads(const at::Tensor& heads, const Grid& grid, const std::string& feature) {
  const bool fits =
      heads.defined() && heads.dim() == 4 && heads.size(0) == 1 && heads.size(2) == grid.tokens();
  if (!fits) refuseFeature(feature);
  return heads[0].transpose(0, 1).flatten(1);
}

at::Tensor valueRows(Model& model, int layer, const at::Tensor& entering, const Grid& grid) {
  ObjectLayerHook hook;
  model.block(layer, entering, &hook);
  if (hook.products.size() != 1) refuseFeature("values");
  return rowsOfHeads(hook.products.front().values, grid, "values");
}

at::Tensor comparedRows(Model& model, int layer, const at::Tensor& entering, const Grid& grid,
                        const std::string& feature) {
  QueryKeyHook watch;
  model.block(layer, entering, nullptr);
  const QueryKeyCapture compared = watch.take();
  return rowsOfHeads(feature == "keys" ? compared.keys : compared.queries, grid, feature);
}

/// The tokens that leave the layer, as patch similarity compares them.
at::Tensor leavingRows(Model& model, int layer, const at::Tensor& entering, const Grid& grid,
                       std::string& note) {
  const at::Tensor leaving = model.block(layer, entering, nullptr);
  const NormedTokens normed = finalNormed(model, model.gridTokens(layer + 1, leaving));
  if (normed.tokens.size(1) != grid.tokens()) refuseFeature("tokens");
  if (!normed.normed) addTo(note, "tokens unchanged, without a final norm", "; ");
  return normed.tokens[0];
}

PatchFeatures featuresOfPatches(const at::Tensor& rows, const Grid& grid) {
  const at::Tensor patches =
      rows.detach().slice(0, grid.prefix).to(at::kCPU, at::kDouble).contiguous();
  return {grid.rows,
          grid.cols,
          static_cast<int>(patches.size(1)),
          {patches.data_ptr<double>(), patches.data_ptr<double>() + patches.numel()}};
}

PatchFeatures layerFeatures(Model& model, int layer, const at::Tensor& entering,
                            const ObjectOptions& options, DiscoveredObject& found) {
  const Grid& grid = found.grid;
  if (options.feature == "tokens")
    return featuresOfPatches(leavingRows(model, layer, entering, grid, found.note), grid);
  if (options.feature == "values")
    return featuresOfPatches(valueRows(model, layer, entering, grid), grid);
  return featuresOfPatches(comparedRows(model, layer, entering, grid, options.feature), grid);
}

/// Of each head what the class token gives the patches, or what they get from all patches.
std::vector<std::vector<double>> attentionOfHeads(const at::Tensor& map, const Grid& grid) {
  const at::Tensor whole = map[0].detach().to(at::kCPU, at::kDouble);
  const at::Tensor rows =
      grid.hasClassToken() ? whole.select(1, 0) : whole.slice(1, grid.prefix).mean(1);
  const at::Tensor patches = rows.slice(1, grid.prefix).contiguous();  // [H, N]
  std::vector<std::vector<double>> heads;
  for (std::int64_t h = 0; h < patches.size(0); ++h) {
    const double* first = patches.data_ptr<double>() + h * patches.size(1);
    heads.emplace_back(first, first + patches.size(1));
  }
  return heads;
}

void requireMap(const at::Tensor& map, const Grid& grid) {
  if (map.defined() && map.size(0) == 1 && map.size(-1) == grid.tokens() &&
      map.size(-2) == grid.tokens())
    return;
  throw Failure({ErrorCode::InvalidArgument,
                 tr("this layer has no attention map over all patches; choose lost or tokencut"),
                 "method"});
}

void requireHead(int head, std::size_t heads) {
  if (head < static_cast<int>(heads)) return;
  throw Failure({ErrorCode::InvalidArgument,
                 tr("no head ") + std::to_string(head) + tr("; the layer's map has ") +
                     std::to_string(heads) + tr(", counted from 0"),
                 "head"});
}

void addMassNotes(DiscoveredObject& found, const Model& model, double mass) {
  found.note = numberText(std::round(1000 * mass) / 10) + " % of the attention of each head";
  if (!found.grid.hasClassToken())
    addTo(found.note, "no class token in this layer: mean over the query patches", "; ");
  if (model.attention(found.layer).mapIsSigned())
    addTo(found.note, "signed maps: negative weights are left out", "; ");
}

void findByMass(DiscoveredObject& found, Model& model, const at::Tensor& entering,
                const ObjectOptions& options) {
  ObjectLayerHook hook;
  model.block(found.layer, entering, &hook);
  requireMap(hook.map, found.grid);
  auto heads = attentionOfHeads(hook.map, found.grid);
  requireHead(options.head, heads.size());
  if (options.head >= 0) heads = {heads[static_cast<std::size_t>(options.head)]};
  found.region = joinedMass(heads, options.mass, found.grid.rows, found.grid.cols);
  for (const std::vector<double>& weights : heads)
    found.heads.push_back(keptMass(weights, options.mass));
  addMassNotes(found, model, options.mass);
}

}  // namespace

DiscoveredObject objectInLayer(Model& model, int layer, const at::Tensor& entering,
                               const ObjectOptions& options) {
  requireObjectOptions(options);
  DiscoveredObject found;
  found.layer = layer;
  found.grid = model.gridOf(layer, entering);
  if (options.method == "dino") {
    findByMass(found, model, entering, options);
    return found;
  }
  const PatchFeatures features = layerFeatures(model, layer, entering, options, found);
  found.region = options.method == "lost"
                     ? lostRegion(features, options.seeds)
                     : normalizedCutRegion(features, options.threshold, options.epsilon);
  return found;
}

}  // namespace headlight
