// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Every mechanism on every backbone that takes it, small: what a new one is tested by before
// anybody publishes a model with it. Backbones that give no logits have a list of their own.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"
#include "tests/models/Shrunk.h"

namespace headlight {

using NamedConfigs = std::vector<std::pair<std::string, ModelConfig>>;

/// Classifiers of detectors' networks have the detectors' blocks, which meet every mechanism.
inline bool sameBlocksAsAnother(const Variant& backbone, const Variant& mechanism) {
  return backbone.name.ends_with("_classifier") && mechanism.name != "softmax" &&
         mechanism.name != "linear_angular";
}

/// Of masked autoencoders, or of all others that have attention.
inline NamedConfigs makePairings(bool rebuilding) {
  NamedConfigs all;
  for (const Variant& backbone : modelCatalog().backbones)
    if ((backbone.task == Task::Rebuild) == rebuilding && !backbone.rules.withoutBlocks)
      for (const Variant& mechanism : modelCatalog().mechanisms) {
        const auto& taken = backbone.mechanisms;
        const bool listed = std::find(taken.begin(), taken.end(), mechanism.name) != taken.end();
        if (!listed && (!taken.empty() || mechanism.special)) continue;
        if (sameBlocksAsAnother(backbone, mechanism)) continue;
        const auto& models = publishedModels();
        const auto like = std::find_if(models.begin(), models.end(), [&](const auto& published) {
          return published.config.backbone == backbone.name;
        });
        if (like == models.end()) continue;  // PairingsTest asks for one
        ModelConfig config = shrunk(like->config);
        config.mechanism = mechanism.name;
        config.attention = Json::object();
        config = checkedAndCompleted(config);
        // A mechanism may have no place for prefix tokens, and refuses them.
        if (!guarded("pairing", [&] { makeModel(config, 0); }))
          config.classToken = config.distilled = false;
        all.emplace_back(backbone.name + "/" + mechanism.name, config);
      }
  return all;
}

/// By "backbone/mechanism", with every option at its default.
inline const NamedConfigs& pairings() {
  static const NamedConfigs all = makePairings(/*rebuilding=*/false);
  return all;
}

/// For tests that take seconds a pairing: every mechanism on a ViT, and on the other backbones those
/// of the five papers and of the backbones themselves.
inline const NamedConfigs& costlyPairings() {
  static const NamedConfigs all = [] {
    NamedConfigs chosen = pairings();
    std::erase_if(chosen, [](const auto& pairing) {
      const ModelConfig& config = pairing.second;
      return config.backbone != "vit" && modelCatalog().mechanism(config.mechanism)->comparison;
    });
    return chosen;
  }();
  return all;
}

/// Pairings of masked autoencoders, which have no logits: "mae/softmax".
inline const NamedConfigs& rebuildingPairings() {
  static const NamedConfigs all = makePairings(/*rebuilding=*/true);
  return all;
}

}  // namespace headlight
