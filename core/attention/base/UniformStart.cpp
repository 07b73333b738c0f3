// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/base/UniformStart.h"

#include <ATen/ATen.h>

#include <cmath>
#include <vector>

#include "core/base/Random.h"

namespace headlight {

void startUniformly(const at::Tensor& weight, std::uint64_t key) {
  const at::NoGradGuard noGrad;
  const double bound = 1 / std::sqrt(static_cast<double>(weight.size(1)));
  RandomStream stream(key);
  std::vector<double> values(static_cast<std::size_t>(weight.numel()));
  for (double& value : values)
    value = stream.uniform(-bound, bound);
  weight.copy_(at::tensor(values, at::kDouble).view(weight.sizes()));
}

}  // namespace headlight
