// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/backbones/Castling.h"

#include <algorithm>

#include "core/attention/linear/LinearAngular.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

/// The branch of a layer, or null.
AuxiliaryBranch* branchOf(Model& model, int layer) {
  auto* castling = dynamic_cast<Castling*>(&model.attention(layer));
  return castling && castling->auxiliary().present() ? &castling->auxiliary() : nullptr;
}

}  // namespace

int branchLayers(const Model& model) {
  int count = 0;
  for (int l = 0; l < model.layers(); ++l)
    if (branchOf(const_cast<Model&>(model), l)) ++count;
  return count;
}

int setBranchDropped(Model& model, bool withoutBranch) {
  for (int l = 0; l < model.layers(); ++l)
    if (AuxiliaryBranch* branch = branchOf(model, l)) branch->setBranchDropped(withoutBranch);
  return branchLayers(model);
}

ModelConfig configWithoutBranch(ModelConfig config, bool withoutBranch) {
  if (config.mechanism != "linear_angular" || !linearAngularOptions(config.attention).auxiliary)
    throw Failure({ErrorCode::InvalidConfig,
                   tr("this model has no auxiliary branch to drop: its mechanism is not "
                      "linear_angular, or attention.auxiliary is off"),
                   "model.mechanism"});
  config.attention["without_branch"] = withoutBranch;
  return config;
}

bool droppingIsFree(const std::vector<double>& nonzeros) {
  return std::none_of(nonzeros.begin(), nonzeros.end(), [](double n) { return n > 0; });
}

}  // namespace headlight
