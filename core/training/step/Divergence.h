// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Steps that are too large: losses that are no number any more, and gradients that are clipped.

#include <cstdint>
#include <string>

#include "core/base/Result.h"

namespace headlight {

/// Throws Failure(Internal) where the `what` of a step is not finite. `saved`: what there is
/// to go back to, "the last checkpoint is from before it"; `warmup`: the parameter of the warm-up.
void requireFinite(const std::string& what, double value, std::int64_t step,
                   const std::string& saved, const std::string& warmup);

/// Whether an error is that of requireFinite: the run's own, and no other run's.
bool isDivergence(const Error& error);

/// What gradients of the global norm `norm` are scaled by so that it is at most `greatest` (0: as
/// they are): torch.nn.utils.clip_grad_norm_'s coefficient.
double clippingScale(double norm, double greatest);

}  // namespace headlight
