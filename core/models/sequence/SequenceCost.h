// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Parameters and multiply-accumulates of a sequence model, counted from its config alone. No torch
// type.

#include "core/attention/base/Cost.h"
#include "core/config/SequenceExperiment.h"

namespace headlight {

/// MACs of one whole sequence, in training and measuring. Of softmax every pair of positions
/// counts, masked or not, as papers count a Transformer; so it is with AFT's products with e^w, but
/// for those of a band (aft_local with factorized biases and 2 · window < T), which are of T × 2
/// window pairs. Of aft_conv the taps of its convolution count, as in AFT-conv of images. Sums, and
/// the product u vᵀ, which is the same for every sequence, count as none.
ModelCost sequenceCost(const SequenceExperiment& experiment);

}  // namespace headlight
