// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What kept features are of. No torch type here.

#include <cstdint>
#include <string>

#include "core/config/Parameter.h"

namespace headlight {

struct FeatureKey {
  std::string model;        ///< its name, for people
  std::string weights;      ///< digest of backbone, preprocessing and pooling (ModelDigest.h)
  std::string masks;        ///< digest of every head's mask
  std::string device;       ///< "cpu", "cuda": sums differ in their last digits
  std::int64_t layers = 1;  ///< blocks in a record
  std::int64_t width = 0;   ///< numbers in a record

  bool operator==(const FeatureKey& other) const {
    return weights == other.weights && masks == other.masks && device == other.device &&
           layers == other.layers && width == other.width;
  }
};

Json featureKeyJson(const FeatureKey& key);
/// Throws what nlohmann's JSON throws for what is no key.
FeatureKey featureKeyFrom(const Json& json);
/// "features-0123456789abcdef.bin".
std::string featureFileName(const FeatureKey& key);

}  // namespace headlight
