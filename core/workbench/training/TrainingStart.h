// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Opening all that a run begins with: its data, its model, its teacher and its starting weights.
// Torch types: core only.

#include <memory>
#include <string>
#include <vector>

#include "core/training/Trainer.h"
#include "core/training/run/MaskFits.h"

namespace headlight {

/// All that a run starts from.
struct TrainingStart {
  TrainerParts parts;
  std::vector<std::string> notes;  ///< to be said of it
  std::vector<MaskFit> maskFits;
};

/// The least share of a model's body (LoadReport::bodyShare) that starting weights fill. A final
/// norm of the same width fits between any two models; DeiT's weights fill more than 0.7 of an AFT,
/// which has no use for its queries and keys.
inline constexpr double kLeastStart = 0.5;
/// Throws Failure(InvalidFile) where the weights in `path` fill less of the model.
void requireStart(const LoadReport& report, const std::string& path);

/// `fresh`: with the config's own weights, which a run with a checkpoint does not need any more.
/// With `processes` they have to have the same data. Throws Failure: what cannot be opened, does
/// not fit or cannot be computed on the device, and edits of cells that do not exist.
TrainingStart openStart(const Experiment& experiment, bool fresh = true,
                        const std::shared_ptr<Processes>& processes = nullptr);

}  // namespace headlight
