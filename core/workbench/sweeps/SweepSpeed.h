// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How fast the models of a sweep predict. Internal.

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"

namespace headlight {

struct SpeedSettings {
  std::string device = "auto";
  int threads = 0;
  std::int64_t batch = 32;
};

/// A model that is ready to predict.
struct SpeedContender {
  std::int64_t batch = 0;      ///< images or sequences of a pass
  std::function<void()> pass;  ///< forward; waits for the device. Empty: nothing is to be measured
};

/// Images or sequences per second of each (0 for an empty one): forward passes, the models taking
/// turns so that what else the machine does falls on all of them; the median of the turns. Returns
/// early, with zeros, when told to stop. Throws Failure.
std::vector<double> inferenceSpeeds(const std::vector<SpeedContender>& contenders,
                                    const ProgressCallback& progress, std::stop_token stop);

}  // namespace headlight
