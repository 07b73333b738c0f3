// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/tuning/LayerDecay.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

namespace headlight {
namespace {

/// What parameters are sorted by.
using LayerKey = std::vector<std::int64_t>;

constexpr std::int64_t kWithPrevious = 99999;  ///< the last of a key: no layer of its own
constexpr std::int64_t kAfterAll = std::numeric_limits<std::int64_t>::max();

bool begins(const std::string& name, const std::string& start) {
  return name.starts_with(start);
}

/// The number after `start`; −1: the name does not begin so.
std::int64_t numberAfter(const std::string& name, const std::string& start) {
  if (!begins(name, start)) return -1;
  std::int64_t number = -1;
  std::from_chars(name.data() + start.size(), name.data() + name.size(), number);
  return number;
}

bool isEmbedding(const std::string& name) {
  return begins(name, "cls_token") || begins(name, "pos_embed") || begins(name, "patch_embed") ||
         begins(name, "dist_token");
}

LayerKey plainKey(const std::string& name) {
  if (isEmbedding(name)) return {0};
  if (const auto block = numberAfter(name, "blocks."); block >= 0) return {1, block};
  return begins(name, "norm") ? LayerKey{1, kWithPrevious} : LayerKey{kAfterAll};
}

LayerKey caitKey(const std::string& name, const ModelConfig& config) {
  if (isEmbedding(name)) return {0};
  if (const auto block = numberAfter(name, "blocks."); block >= 0) return {block + 1};
  if (const auto block = numberAfter(name, "blocks_token_only."); block >= 0)
    return {block + config.depth - config.classDepth + 1};
  return begins(name, "norm.") ? LayerKey{config.depth} : LayerKey{kAfterAll};
}

/// "layers.1.blocks.0.…" and "layers.1.downsample.…"; `stages` is "layers.", or LeViT's "stages.".
LayerKey stagedKey(const std::string& name, const std::string& stages, const std::string& stem) {
  if (begins(name, stem)) return {0};
  const auto stage = numberAfter(name, stages);
  if (stage < 0) return begins(name, "norm") ? LayerKey{1, kWithPrevious} : LayerKey{kAfterAll};
  const std::string start = stages + std::to_string(stage) + ".";
  const auto block = numberAfter(name, start + "blocks.");
  return {1, stage, std::max<std::int64_t>(block, 0)};
}

LayerKey mvitKey(const std::string& name) {
  if (begins(name, "patch_embed")) return {0};
  if (const auto stage = numberAfter(name, "stages."); stage >= 0) return {1, stage};
  return begins(name, "norm") ? LayerKey{1, kWithPrevious} : LayerKey{kAfterAll};
}

/// A detector's trunk: stem, layers of convolutions stage by stage, blocks.
LayerKey trunkKey(const std::string& name) {
  if (begins(name, "stem")) return {0};
  const auto stage = numberAfter(name, "stages.");
  if (stage < 0) return plainKey(name);
  const auto layer = numberAfter(name, "stages." + std::to_string(stage) + ".");
  return {0, stage, layer};
}

LayerKey layerKey(const std::string& name, const ModelConfig& config) {
  const std::string below = "backbone.";
  if (begins(name, below)) return trunkKey(name.substr(below.size()));
  if (config.backbone == "cait") return caitKey(name, config);
  if (config.backbone == "swin") return stagedKey(name, "layers.", "patch_embed");
  if (config.backbone == "levit") return stagedKey(name, "stages.", "stem");
  if (config.backbone == "mvitv2") return mvitKey(name);
  return plainKey(name);
}

}  // namespace

std::map<std::string, int> layerOfParameters(const Model& model) {
  std::map<LayerKey, std::vector<std::string>> groups;
  for (const auto& [name, tensor] : model.trainable())
    groups[layerKey(name, model.config())].push_back(name);
  std::map<std::string, int> layers;
  int layer = -1;
  for (const auto& [key, names] : groups) {
    if (layer < 0 || key.back() != kWithPrevious) ++layer;
    for (const std::string& name : names)
      layers[name] = layer;
  }
  return layers;
}

std::map<std::string, double> layerScales(const Model& model, double decay) {
  const auto layers = layerOfParameters(model);
  int last = 0;
  for (const auto& [name, layer] : layers)
    last = std::max(last, layer);
  std::map<std::string, double> scales;
  for (const auto& [name, layer] : layers)
    scales[name] = std::pow(decay, last - layer);
  return scales;
}

}  // namespace headlight
