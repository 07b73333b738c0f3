// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/backbones/Castling.h"

#include <algorithm>

#include "core/attention/linear/LinearAngular.h"

namespace headlight {
namespace {

/// The branch of a layer, or null.
AuxiliaryBranch* branchOf(Model& model, int layer) {
  auto* castling = dynamic_cast<Castling*>(&model.attention(layer));
  return castling && castling->auxiliary().present() ? &castling->auxiliary() : nullptr;
}

}  // namespace

int castlingLayers(const Model& model) {
  int count = 0;
  for (int l = 0; l < model.layers(); ++l)
    if (branchOf(const_cast<Model&>(model), l)) ++count;
  return count;
}

int setCastled(Model& model, bool castled) {
  for (int l = 0; l < model.layers(); ++l)
    if (AuxiliaryBranch* branch = branchOf(model, l)) branch->setCastled(castled);
  return castlingLayers(model);
}

ModelConfig castledConfig(ModelConfig config, bool castled) {
  if (config.mechanism != "linear_angular" || !linearAngularOptions(config.attention).auxiliary)
    throw Failure({ErrorCode::InvalidConfig,
                   "this model has no auxiliary branch that inference could drop: its mechanism is "
                   "not linear_angular, or attention.auxiliary is off",
                   "model.mechanism"});
  config.attention["castled"] = castled;
  return config;
}

bool castlingIsFree(const std::vector<double>& nonzeros) {
  return std::none_of(nonzeros.begin(), nonzeros.end(), [](double n) { return n > 0; });
}

}  // namespace headlight
