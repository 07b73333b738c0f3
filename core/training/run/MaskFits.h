// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How the learned masks of a model came to their start (IBiT's Algorithm 1), as a run keeps it.

#include <vector>

#include "core/base/Result.h"
#include "core/base/files/OpenFolder.h"
#include "core/models/backbones/Model.h"
#include "core/training/logs/TrainingTypes.h"

namespace headlight {

/// One for each fit that layers of a model as it was made start from, in the order of its first
/// layer; empty where masks start at random or there are none. One fit is called mask_fit.csv; of
/// more, each has its first layer in the name (mask_fit-layer-03.csv).
std::vector<MaskFit> fitMasks(const Model& model);

/// Replaces the fit's file in `folder`: a row a step, `step,mean_squared_error`, from step 0.
Result<void> writeMaskFit(const OpenFolder& folder, const MaskFit& fit);

}  // namespace headlight
