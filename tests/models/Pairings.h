// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Every mechanism on every backbone that takes it, small: what a new one is tested by before
// anybody publishes a model with it.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"
#include "tests/models/Shrunk.h"

namespace headlight {

using NamedConfigs = std::vector<std::pair<std::string, ModelConfig>>;

inline NamedConfigs makePairings() {
  NamedConfigs all;
  for (const Variant& backbone : modelCatalog().backbones)
    for (const Variant& mechanism : modelCatalog().mechanisms) {
      const auto& taken = backbone.mechanisms;
      const bool listed = std::find(taken.begin(), taken.end(), mechanism.name) != taken.end();
      if (!listed && (!taken.empty() || mechanism.special)) continue;
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
  static const NamedConfigs all = makePairings();
  return all;
}

}  // namespace headlight
