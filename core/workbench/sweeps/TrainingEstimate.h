// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How long a run will take, before it is begun. No torch type.

#include <stop_token>

#include "core/base/Result.h"
#include "core/config/Experiment.h"

namespace headlight {

/// Trains a few small steps on its own data and counts up: all epochs and validations, the one of
/// the starting weights too. Seconds. Blocks; nothing is written. Errors: Canceled, what keeps it
/// from being trained.
Result<double> estimateTraining(const Experiment& experiment, const std::stop_token& stop);

}  // namespace headlight
