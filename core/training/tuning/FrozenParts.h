// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which parameters a training moves (training.freeze, adapters, the head alone at first). Torch
// types: core only.

#include <set>
#include <string>

#include "core/checkpoint/Checkpoint.h"
#include "core/config/TrainingConfig.h"
#include "core/models/backbones/Model.h"

namespace headlight {

/// Whether it may leave parameters as they are.
bool freezesParts(const TrainingConfig& config);

/// Whether a parameter belongs to what is trained anew for other classes: the classifier, or of a
/// model with a `backbone.` all that follows it.
bool isHeadParameter(const Model& model, const std::string& name);

/// The names of the parameters that training.freeze leaves as they are. Those of adapters never
/// are among them. Throws Failure(InvalidConfig): it names what the model does not have, or leaves
/// nothing to train.
std::set<std::string> frozenParameters(const Model& model, const TrainingConfig& config);

/// Lets the others alone have gradients (`headAlone`: of them only the head), tells the model
/// (Model::setFrozen) and drops gradients that were. Throws as frozenParameters().
void freezeParts(Model& model, const TrainingConfig& config, bool headAlone);

/// Those that learn, and the running statistics that move.
NamedTensors learningParameters(const Model& model);
NamedTensors movingState(const Model& model);

}  // namespace headlight
