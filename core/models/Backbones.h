// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The backbones by name.

#include <functional>
#include <memory>
#include <vector>

#include "core/models/backbones/Model.h"

namespace headlight {

struct Backbone {
  Variant variant;
  std::function<std::shared_ptr<Model>(const ModelConfig&)> make;
  /// Counted from the config alone: nothing is allocated.
  std::function<ModelCost(const ModelConfig&)> cost;
};

/// Every backbone, in the order in which they are shown.
const std::vector<Backbone>& backbones();
const Backbone& findBackbone(const std::string& name);  ///< Throws Failure for an unknown one.

}  // namespace headlight
