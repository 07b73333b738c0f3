// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/aft/CausalSums.h"

#include <ATen/ATen.h>

namespace headlight {

void addFar(CausalState& state, const at::Tensor& key, const at::Tensor& value) {
  const at::Tensor maximum = at::maximum(state.maximum, key);
  const at::Tensor keep = (state.maximum - maximum).exp(), own = (key - maximum).exp();
  state.weights = state.weights * keep + own;
  state.weighted = state.weighted * keep + own * value;
  state.maximum = maximum;
}

}  // namespace headlight
