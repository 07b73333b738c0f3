// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How a classifier is fitted to the features of a frozen backbone. No torch type here.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/config/Parameter.h"

namespace headlight {

struct AdaptOptions {
  std::string token = "model";                              ///< model | token | mean | both
  int layers = 1;                                           ///< the last n, side by side
  std::string strengths = "0.1,0.01,0.001,0.0001,0.00001";  ///< of the L2 penalty
  double selection = 0.2;     ///< share of the training images that chooses among them
  int neighbors = 20;         ///< k, as DINO has it
  double temperature = 0.07;  ///< T, likewise
  std::int64_t images = 0;    ///< of each split, at most; 0: all
};

/// For flags, the form and the checks.
const ParameterTable& adaptParameters();

/// Numbers above 0 behind commas. Error: InvalidConfig.
Result<std::vector<double>> readStrengths(const std::string& text);

}  // namespace headlight
