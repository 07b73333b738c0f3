// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which images of a dataset something is measured on. No torch type here.

#include <cstdint>

#include "core/config/ClassMatching.h"
#include "core/config/TrainingConfig.h"

namespace headlight {

/// Images of a validation split.
struct ImageSample {
  DataConfig data;
  std::int64_t samples = 64;    ///< at most so many, spread over the classes; 0: all
  ClassMatching matching = {};  ///< of their classes with the model's, where labels count
};

}  // namespace headlight
