// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which units of MLPs write outlier tokens (register neurons, Jiang et al. 2025, Algorithm 1).
// Torch types: core only.

#include <stop_token>

#include "core/workbench/interventions/Registers.h"
#include "core/workbench/loading/LoadedModel.h"

namespace headlight {

/// Fills in the layer that outliers leave first, the neurons and what they were found over. Outliers
/// appear in the first layer that has at least half as many of them, over all images, as the layer
/// with most. Throws Failure, also where no image has any.
void findRegisterNeurons(RegisterReport& report, LoadedModel& own, const RegisterRequest& request,
                         const ProgressCallback& progress, const std::stop_token& stop);

}  // namespace headlight
