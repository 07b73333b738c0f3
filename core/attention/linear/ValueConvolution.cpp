// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/linear/ValueConvolution.h"

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/kernels/RelativeSums.h"
#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {

ValueConvolution::ValueConvolution(const ValueFilters& filters, const Grid& grid) : m_grid(grid) {
  const std::int64_t channels = filters.channels, side = filters.side;
  // A convolution's default: uniform within the inverse root of the fan-in.
  const double bound = 1.0 / static_cast<double>(side);
  m_weight =
      register_parameter("weight", at::empty({channels, 1, side, side}).uniform_(-bound, bound));
  m_bias = register_parameter("bias", at::empty({channels}).uniform_(-bound, bound));
}

void ValueConvolution::count(CostCounter& counter, const std::string& name,
                             const ValueFilters& filters, std::int64_t width, const Grid& grid) {
  const std::int64_t taps = std::int64_t{filters.side} * filters.side;
  counter.weights(name, filters.channels * (taps + 1), width * taps * grid.patches());
}

at::Tensor ValueConvolution::forward(const at::Tensor& values) const {
  const Float32Scope exact;  // the backward pass of relativeSums takes no other
  const std::int64_t heads = values.size(1), each = values.size(3),
                     copies = heads * each / m_weight.size(0);
  const at::Tensor result =
      relativeSumsOfHeads(values.slice(2, m_grid.prefix),
                          m_weight.squeeze(1).repeat({copies, 1, 1}), m_grid.rows, m_grid.cols) +
      m_bias.repeat({copies}).view({heads, 1, each});
  return m_grid.prefix == 0 ? result : at::constant_pad_nd(result, {0, 0, m_grid.prefix, 0});
}

void requireOddFilter(int side, const std::string& option) {
  if (side % 2 == 1) return;
  throw Failure({ErrorCode::InvalidConfig,
                 tr("a convolution of side ") + std::to_string(side) +
                     tr(" has no center; use an odd number"),
                 "model.attention." + option});
}

}  // namespace headlight
