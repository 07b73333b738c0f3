// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/layers/RunningNorm.h"

#include <ATen/ATen.h>

#include <cmath>
#include <vector>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/kernels/KernelChoice.h"
#include "core/attention/kernels/VectorMath.h"
#include "core/base/ModelPart.h"
#include "core/models/layers/RowChunks.h"

namespace headlight {
namespace {

/// y = scale · x + shift, channel by channel.
struct ChannelMap {
  std::vector<float> scale, shift;
};

template <typename Norm>
ChannelMap channelMap(Norm& norm) {
  const std::int64_t channels = norm->weight.numel();
  const float *weight = norm->weight.template data_ptr<float>(),
              *bias = norm->bias.template data_ptr<float>(),
              *mean = norm->running_mean.template data_ptr<float>(),
              *variance = norm->running_var.template data_ptr<float>();
  const auto epsilon = static_cast<float>(norm->options.eps());
  ChannelMap map;
  for (std::int64_t c = 0; c < channels; ++c) {
    map.scale.push_back(weight[c] / std::sqrt(variance[c] + epsilon));
    map.shift.push_back(bias[c] - mean[c] * map.scale.back());
  }
  return map;
}

HEADLIGHT_INLINE float hardSwished(float z) {
  return z * std::min(std::max(z + 3.0f, 0.0f), 6.0f) * (1.0f / 6.0f);
}

/// `from` and `to` may be the same.
template <bool kActive, typename From, typename To>
HEADLIGHT_INLINE void mapRows(const From* from, const float* scale, const float* shift, To* to,
                              std::int64_t count, std::int64_t width) {
  for (std::int64_t n = 0; n < count; ++n, from += width, to += width)
    for (std::int64_t c = 0; c < width; ++c) {
      const float z = rows::widened(from[c]) * scale[c] + shift[c];
      rows::keep(kActive ? hardSwished(z) : z, to[c]);
    }
}

template <typename From, typename To>
HEADLIGHT_INLINE void mapAll(const From* from, const float* scale, const float* shift, To* to,
                             std::int64_t count, std::int64_t width, bool active) {
  if (active)
    mapRows<true>(from, scale, shift, to, count, width);
  else
    mapRows<false>(from, scale, shift, to, count, width);
}

HEADLIGHT_CLONES void normRows(const float* from, const float* scale, const float* shift, float* to,
                               std::int64_t count, std::int64_t width, bool active) {
  mapAll(from, scale, shift, to, count, width, active);
}
HEADLIGHT_CLONES_16 void normRows(const std::uint16_t* from, const float* scale, const float* shift,
                                  float* to, std::int64_t count, std::int64_t width, bool active) {
  mapAll(from, scale, shift, to, count, width, active);
}
HEADLIGHT_CLONES_16 void normRows(const std::uint16_t* from, const float* scale, const float* shift,
                                  std::uint16_t* to, std::int64_t count, std::int64_t width,
                                  bool active) {
  mapAll(from, scale, shift, to, count, width, active);
}

template <typename From, typename To>
void normInto(const at::Tensor& x, const ChannelMap& map, bool active, const at::Tensor& result) {
  const std::int64_t width = x.size(-1);
  const auto* from = static_cast<const From*>(x.data_ptr());
  auto* to = static_cast<To*>(result.data_ptr());
  forEachChunkOfRows(x, [&](std::int64_t, std::int64_t first, std::int64_t count) {
    normRows(from + first * width, map.scale.data(), map.shift.data(), to + first * width, count,
             width, active);
  });
}

}  // namespace

bool runningNormTakes(const at::Tensor& x, const at::Tensor& normWeight, bool training) {
  const bool learns =
      at::GradMode::is_enabled() && (x.requires_grad() || normWeight.requires_grad());
  const bool known = x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16;
  return !training && !learns && !PlainKernels::wanted() && known && x.device().is_cpu() &&
         x.is_contiguous() && x.numel() > 0 && normWeight.device().is_cpu() &&
         normWeight.scalar_type() == at::kFloat;
}

template <typename Norm>
at::Tensor runningNorm(Norm& norm, const at::Tensor& x, BehindNorm behind) {
  const PartScope scope(ModelPart::Norms);
  const ChannelMap map = channelMap(norm);
  const bool active = behind == BehindNorm::ActiveProduct;
  if (x.scalar_type() == at::kFloat) {
    normInto<float, float>(x, map, active, x);
    return x;
  }
  if (behind != BehindNorm::Tokens) {
    normInto<std::uint16_t, std::uint16_t>(x, map, active, x);
    return x;
  }
  at::Tensor wide = at::empty_like(x, x.options().dtype(at::kFloat));
  normInto<std::uint16_t, float>(x, map, active, wide);
  return wide;
}

template at::Tensor runningNorm(torch::nn::BatchNorm1d&, const at::Tensor&, BehindNorm);
template at::Tensor runningNorm(torch::nn::BatchNorm2d&, const at::Tensor&, BehindNorm);

}  // namespace headlight
