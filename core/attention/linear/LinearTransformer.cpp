// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/linear/LinearTransformer.h"

#include <ATen/ATen.h>

namespace headlight {

at::Tensor eluFeatures(const at::Tensor& x) {
  return at::where(x > 0, x + 1, x.clamp_max(0).exp());
}

void LinearTransformer::count(CostCounter& counter, const AttentionOptions& options) {
  countFeatures(counter, options, options.width / options.heads);
}

std::string LinearTransformer::mapMeaning() const {
  return "In place of the softmax matrix: products of elu(q) + 1 and elu(k) + 1 over their sum; "
         "each row sums to 1.";
}

}  // namespace headlight
