// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/adapt/FeatureKey.h"

#include "core/config/RunId.h"

namespace headlight {

Json featureKeyJson(const FeatureKey& key) {
  return {{"model", key.model},   {"weights", key.weights}, {"masks", key.masks},
          {"device", key.device}, {"layers", key.layers},   {"width", key.width}};
}

FeatureKey featureKeyFrom(const Json& json) {
  return {json.at("model").get<std::string>(),   json.at("weights").get<std::string>(),
          json.at("masks").get<std::string>(),   json.at("device").get<std::string>(),
          json.at("layers").get<std::int64_t>(), json.at("width").get<std::int64_t>()};
}

std::string featureFileName(const FeatureKey& key) {
  Json counting = featureKeyJson(key);
  counting.erase("model");
  return "features-" + makeRunId(counting) + ".bin";
}

}  // namespace headlight
