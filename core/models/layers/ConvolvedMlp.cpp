// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/layers/ConvolvedMlp.h"

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/kernels/RelativeSums.h"
#include "core/base/Result.h"
#include "core/base/Translation.h"
#include "core/models/layers/LocalNorm.h"

namespace headlight {

ConvolvedMlp::ConvolvedMlp(int width, int hidden, const ConvolvedMlpOptions& options,
                           const Grid& grid)
    : Mlp(width, hidden), m_grid(grid), m_activation(options.activation) {
  const int side = options.side;
  auto convolution = register_module("dconv", std::make_shared<Holder>());
  // A convolution's default: uniform within the inverse root of the fan-in.
  const at::NoGradGuard noGrad;
  const double bound = 1.0 / side;
  m_filter = convolution->register_parameter(
      "weight", at::empty({hidden, 1, side, side}).uniform_(-bound, bound));
  if (options.batchNorm) m_norm = register_module("bn", torch::nn::BatchNorm1d(hidden));
}

at::Tensor ConvolvedMlp::convolved(const at::Tensor& hidden) const {
  const Float32Scope exact;  // its backward pass takes no other
  const std::int64_t features = hidden.size(2);
  const at::Tensor patches =
      hidden.slice(1, m_grid.prefix).reshape({hidden.size(0), m_grid.rows, m_grid.cols, features});
  const at::Tensor mixed =
      relativeSums(patches, m_filter.squeeze(1)).reshape({hidden.size(0), -1, features});
  return m_grid.prefix == 0 ? mixed : at::cat({hidden.slice(1, 0, m_grid.prefix), mixed}, 1);
}

at::Tensor ConvolvedMlp::normed(const at::Tensor& hidden) {
  return m_norm ? featuresNormed(m_norm, hidden.flatten(0, 1)).view_as(hidden) : hidden;
}

at::Tensor ConvolvedMlp::forward(const at::Tensor& tokens) {
  const at::Tensor mixed = normed(convolved(inFloat32(m_first(tokens))));
  return m_second(editedHidden(headlight::activated(mixed, m_activation)));
}

void requireOddSide(int side, const std::string& path) {
  if (side == 0 || side % 2 == 1) return;
  throw Failure({ErrorCode::InvalidConfig,
                 tr("a convolution of side ") + std::to_string(side) +
                     tr(" has no center; use an odd number, or 0 for none"),
                 path});
}

}  // namespace headlight
