// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Castling (Castling-ViT, §3.2.2): a trained model drops the auxiliary softmax branch of its
// linear-angular attention for inference, and what that changes.

#include <vector>

#include "core/models/backbones/Model.h"

namespace headlight {

/// Layers whose attention has an auxiliary branch; 0: nothing to drop.
int branchLayers(const Model& model);

/// Whether inference goes without the auxiliary branch in every layer that has one. Nothing else of
/// the model changes: weights are kept, and training goes on with the branch. Returns how many
/// layers have one.
int setBranchDropped(Model& model, bool withoutBranch);

/// The config of the same model with `attention.without_branch` as given, for saving.
/// Throws Failure where its mechanism has no such branch.
ModelConfig configWithoutBranch(ModelConfig config, bool withoutBranch);

/// Castling is free, changing no output at all, where no layer has a nonzero left: `nonzeros` is
/// the fraction in each layer's auxiliary mask, NaN in layers without one.
bool droppingIsFree(const std::vector<double>& nonzeros);

}  // namespace headlight
