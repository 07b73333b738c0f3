// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the log of a run has numbers of, as curves over steps, epochs or time. No torch type here.

#include <string>
#include <vector>

#include "core/training/logs/TrainingTypes.h"

namespace headlight {

struct RunQuantity {
  std::string key;  ///< "loss", "top1"; of what a mechanism reports of itself its name: "nonzeros"
  std::string title;  ///< "training loss", with its unit
};
/// Those that every log may have: losses, accuracies, ALS, α, gradient norm, learning rate, pace.
const std::vector<RunQuantity>& runQuantities();
/// The quantities that at least one of the histories has, and the mechanisms' readings in them, by
/// name.
std::vector<RunQuantity> quantitiesIn(const std::vector<const RunHistory*>& histories);

enum class RunAxis { Step, Epoch, Time };
struct RunAxisName {
  std::string key;    ///< "steps", "epochs", "time"
  std::string title;  ///< "step", "epoch", "minutes of training"
};
const std::vector<RunAxisName>& runAxes();  ///< in the order of RunAxis

struct RunCurve {
  std::vector<double> keys, values;  ///< of equal length; keys do not decrease
  std::string missing;               ///< why there is none, or not all of it; else empty
  bool operator==(const RunCurve&) const = default;
};

/// What is plotted where nothing is chosen: the validation loss, or the training loss where no
/// history has one.
std::string defaultQuantity(const std::vector<const RunHistory*>& histories);

/// Over about so many steps curves are smoothed where nothing is chosen, as while training.
inline constexpr double kUsualSmoothing = 20;
/// "training loss, smoothed over 20 steps": only what is measured in training steps is smoothed.
std::string smoothedTitle(const RunQuantity& quantity, double steps);

/// Accuracies in per cent; ALS and α as means over heads, readings over the layers that have them.
///
/// Epochs are counted by the validations between which a step lies; before the first of them by its
/// share of it, and none without one. Time is what metrics.csv says that epochs took, added up:
/// straight between the ends of epochs, and nothing after the last of them, for no log says it. Of
/// a run that was stopped within an epoch, the part before the last stop is not in it.
/// `smoothing`: what is measured in training steps becomes a running mean in which a value counts
/// 1 − 1/smoothing as much a step later; 1 or less: as measured.
RunCurve makeRunCurve(const RunHistory& history, const std::string& quantity, RunAxis axis,
                      double smoothing = 0);

}  // namespace headlight
