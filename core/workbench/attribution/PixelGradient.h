// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The gradient of a class's logit at the pixels, and their sums over patches. Torch types: core
// only.

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "core/workbench/attribution/ClassGradient.h"

namespace headlight {

/// ∂logit/∂x [1, 3, H, W] of a class at `image` [1, 3, H, W], which has gone through the model as
/// `pass`; of a detector of one cell, or for −1 the greatest over the cells. `step` is called after
/// every block.
at::Tensor pixelGradient(Model& model, const at::Tensor& image, const CapturedPass& pass,
                         int classIndex, const std::function<void()>& step, int cell = -1);

/// Σ x ⊙ slopes over the channels and the pixels that each patch stands for, as faithfulness cuts
/// them; both [1, 3, H, W], the sums [rows × cols].
std::vector<float> productByPatch(const at::Tensor& image, const at::Tensor& slopes,
                                  const Grid& grid);

}  // namespace headlight
