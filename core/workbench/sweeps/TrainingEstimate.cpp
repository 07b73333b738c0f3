// SPDX-License-Identifier: GPL-3.0-or-later

// TrainingEstimate.h: one run, measured as a sweep's are.

#include "core/workbench/sweeps/TrainingEstimate.h"

#include "core/workbench/sweeps/RunCost.h"

namespace headlight {

Result<double> estimateTraining(const Experiment& experiment, const std::stop_token& stop) {
  return guarded("training", [&] {
    const ItemCost cost = itemCost(experiment, stop);
    Experiment validation = experiment;
    validation.training.epochs = 1;
    const double whole = secondsOfRun(experiment, cost);
    return whole + secondsOfRun(validation, {0, cost.validation});
  });
}

}  // namespace headlight
