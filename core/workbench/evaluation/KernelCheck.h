// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model's fused kernels against the plain forms, over images. No torch type here.

#include <cstdint>
#include <stop_token>
#include <string>

#include "core/workbench/evaluation/Evaluate.h"

namespace headlight {

struct KernelCheck {
  std::int64_t images = 0;
  std::int64_t skipped = 0;  ///< damaged files
  /// |fast − plain| of that logit of all images and classes where it is largest; NaN where one of
  /// them is no number.
  double largest = 0;
  std::int64_t image = 0;      ///< of which image, counted from 0 in the validation split
  std::string imageName;       ///< what the dataset calls it
  int classIndex = 0;          ///< and of which class of the model
  std::string className;       ///< empty where the model's classes have no names
  std::int64_t otherBest = 0;  ///< images whose best class is not the same by both
  double fastImagesPerSecond = 0, plainImagesPerSecond = 0;
  std::string fastKernels, plainKernels;  ///< by what attention was computed (kernelSummary)

  bool sameBest() const { return otherBest == 0; }
};

/// Runs every image of the validation split, or its first `images` (0: all), through the model
/// twice: as it is chosen, and with all kernels of Headlight's own off. Blocks its caller's thread.
/// Errors: those of evaluate().
Result<KernelCheck> checkKernels(const EvaluationRequest& request, std::int64_t images,
                                 const ProgressCallback& progress, std::stop_token stop);

}  // namespace headlight
