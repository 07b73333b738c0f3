// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The gradient of an image's loss at the logits of learned-mask attention. Torch types: core only.

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "core/models/backbones/Model.h"

namespace headlight {

struct LogitSlopes {
  double loss = 0;  ///< cross-entropy of the image with `classIndex`
  int classIndex = 0;
  std::vector<at::Tensor> layers;  ///< ∂loss/∂S [H, T, T]; undefined without a learned mask
};

/// For `image` [1, 3, H, W], normalized, where the model is; `classIndex` −1: of the class that it
/// predicts. `step` is called after every layer and may throw to stop.
LogitSlopes logitSlopes(Model& model, const at::Tensor& image, int classIndex,
                        const std::function<void()>& step);

/// Makes W = 1 in every layer that has a learned mask, by its sub-masks: in exact numbers.
void setUnitMasks(Model& model);

/// Throws Failure where no layer has a learned mask over its whole grid.
void requireLearnedMasks(const Model& model);

}  // namespace headlight
