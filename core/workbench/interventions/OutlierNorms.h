// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How long tokens are, and which of the patches are outliers. Torch types: core only.

#include <ATen/core/Tensor.h>

#include "core/workbench/interventions/OutlierTokens.h"

namespace headlight {

/// Norms, median and outliers of `tokens` [1, T, D], which lie on the layer's grid.
void addOutlierNorms(OutlierLayer& layer, const at::Tensor& tokens, double factor);

/// Throws Failure where no patch could be shorter: a factor of at most 1.
void requireOutlierFactor(double factor);

}  // namespace headlight
