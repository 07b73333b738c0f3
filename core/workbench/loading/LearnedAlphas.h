// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Weights into a model, and the α that heads learned, between files and models. Torch types: core
// only.

#include <optional>
#include <string>
#include <vector>

#include "core/checkpoint/Checkpoint.h"
#include "core/masks/LearnedAlpha.h"
#include "core/models/backbones/Model.h"

namespace headlight {

/// Which α its heads learned; of older files those that were soft. What a reset made them forget is
/// left out. Nothing where the file says nothing of masks. Throws Failure.
std::optional<std::vector<LearnedAlpha>> learnedAlphasIn(const Checkpoint& checkpoint,
                                                         const std::string& where);

/// The model's tensors, and a place for soft_mask_logit where heads of the file learned an α and
/// the model has none yet.
NamedTensors stateFor(const Model& model, const Checkpoint& checkpoint, const std::string& where);

/// Copies the plan's values. With `learned` it also replaces what the model's heads learned of
/// their α: a soft head that learned nothing from its start then begins from it. Throws Failure.
void applyWeights(Model& model, const LoadPlan& plan,
                  const std::optional<std::vector<LearnedAlpha>>& learned);

}  // namespace headlight
