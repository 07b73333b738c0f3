// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A copy of a model's weights at one step of a training run. Torch types: core only.

#include <cstdint>
#include <string>
#include <vector>

#include "core/checkpoint/Checkpoint.h"
#include "core/config/Experiment.h"
#include "core/masks/LearnedAlpha.h"

namespace headlight {

class ModelSnapshot {
 public:
  NamedTensors weights;  ///< parameters and buffers, cloned to the CPU
  Experiment experiment;
  MaskScheme masks;                   ///< in force when the copy was made
  std::vector<LearnedAlpha> learned;  ///< Model::learnedAlphas()
  std::vector<std::string> classNames;
  std::int64_t step = 0;
  double progress = 1;  ///< Model::progress()
};

}  // namespace headlight
