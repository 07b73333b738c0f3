// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What training costs here, measured on a few small steps. Torch types: core only.

#include <stop_token>

#include "core/config/Experiment.h"
#include "core/config/SequenceExperiment.h"

namespace headlight {

/// Seconds for an image (a sequence), in batches.
struct ItemCost {
  double training = 0;    ///< reading, forward, backward, optimizer
  double validation = 0;  ///< reading, forward
};

/// On its own data, with its teacher. Throws Failure: what keeps it from being trained, Canceled.
ItemCost itemCost(const Experiment& experiment, const std::stop_token& stop);
/// Likewise, on random bytes.
ItemCost itemCost(const SequenceExperiment& experiment, const std::stop_token& stop);

/// Of its validation split. Throws Failure.
std::int64_t validationImages(const Experiment& experiment);

/// For a whole run, with what its items cost. Opens the data to count it. Throws Failure.
double secondsOfRun(const Experiment& experiment, const ItemCost& cost);
double secondsOfRun(const SequenceExperiment& experiment, const ItemCost& cost);

}  // namespace headlight
