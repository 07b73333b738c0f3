// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From what queries say to the classes of pixels (Mask2Former, Cheng et al. 2022).

#include <ATen/core/Tensor.h>

namespace headlight {

/// Class logits [B, Q, K + 1] ("none" last) and mask logits [B, Q, H, W] of one prediction →
/// [B, K, H, W]: Σ_q softmax(class)_qk · σ(mask)_q, in [0, Q]. A pixel's class is the greatest.
at::Tensor pixelScores(const at::Tensor& classes, const at::Tensor& masks);

/// [B, K]: the logarithm of each class's greatest score over all pixels, so that a softmax over
/// classes shares out in proportion to the scores.
at::Tensor greatestScores(const at::Tensor& classes, const at::Tensor& masks);

}  // namespace headlight
