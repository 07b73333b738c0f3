// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Runs of sequence models: where their weights lie, and opening one. Internal to core/workbench.

#include <filesystem>
#include <memory>

#include "core/base/files/FolderLock.h"
#include "core/config/SequenceExperiment.h"

namespace headlight {

class SequenceTrainer;

/// A file as it is; of a folder its best.safetensors, else its last. Throws Failure(NotFound).
std::filesystem::path sequenceWeightsIn(const std::filesystem::path& runFolderOrWeights);

/// Opens the data and builds the model, and writes nothing. `fresh`: also reads the weights that it
/// begins with. Throws the Failure of beginning it.
void requireSequenceTrainable(const SequenceExperiment& experiment, bool fresh);

/// A run in a folder that is held, ready to begin or, with `resume`, to go on. Throws Failure as
/// trainSequence().
std::unique_ptr<SequenceTrainer> openSequenceTrainer(const SequenceExperiment& experiment,
                                                     const HeldFolder& folder, bool resume);

}  // namespace headlight
