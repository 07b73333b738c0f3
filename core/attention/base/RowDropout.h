// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Dropout that draws the same for an image however the batch is shared out (MicroBatch.h).

#include <ATen/core/Tensor.h>

namespace headlight {

/// Each number of x is 0 with probability `rate`, the others are divided by 1 − rate. Rows of x
/// belong to images in order, as many to each (windows, heads). x itself for a rate of 0.
at::Tensor rowDropout(const at::Tensor& x, double rate);

}  // namespace headlight
