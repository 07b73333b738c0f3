// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/ResampleAxis.h"

#include <algorithm>
#include <cmath>

#include "core/base/Translation.h"
#include "core/imaging/codecs/Bytes.h"

namespace headlight {
namespace {

double triangle(double x) {
  return std::max(0.0, 1.0 - std::abs(x));
}

/// Keys' cubic with a = −1/2.
double cubic(double x) {
  x = std::abs(x);
  if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
  if (x < 2) return ((-0.5 * x + 2.5) * x - 4) * x + 2;
  return 0;
}

}  // namespace

double kernelSupport(Interpolation interpolation, double scale) {
  return (interpolation == Interpolation::Bicubic ? 2.0 : 1.0) * std::max(scale, 1.0);
}

ResampleSpan computeSpan(const ResampleAxis& axis, double support, std::int64_t i) {
  const double center = axis.low + (static_cast<double>(axis.begin + i) + 0.5) * axis.scale();
  const int first = std::max(0, static_cast<int>(center - support + 0.5));
  const int last = std::min(axis.inputSize, static_cast<int>(center + support + 0.5));
  return {first, last - first};
}

ResampleWeights weightsFor(const ResampleAxis& axis, Interpolation interpolation) {
  const double scale = axis.scale();
  const double shrink = 1.0 / std::max(scale, 1.0);
  const double support = kernelSupport(interpolation, scale);
  const auto filter = interpolation == Interpolation::Bicubic ? cubic : triangle;
  ResampleWeights weights;
  weights.stride = static_cast<std::size_t>(std::ceil(support)) * 2 + 1;
  weights.spans.reserve(static_cast<std::size_t>(axis.count));
  weights.values.resize(static_cast<std::size_t>(axis.count) * weights.stride);
  std::vector<double> exact(weights.stride);
  for (int i = 0; i < axis.count; ++i) {
    const double center = axis.low + (static_cast<double>(axis.begin + i) + 0.5) * scale;
    const auto [first, count] = computeSpan(axis, support, i);
    double sum = 0;
    for (int k = 0; k < count; ++k) {
      exact[static_cast<std::size_t>(k)] = filter((k + first - center + 0.5) * shrink);
      sum += exact[static_cast<std::size_t>(k)];
    }
    std::int32_t* out = weights.values.data() + static_cast<std::size_t>(i) * weights.stride;
    for (int k = 0; k < count; ++k) {
      const double share = sum == 0 ? 0 : exact[static_cast<std::size_t>(k)] / sum;
      out[k] = static_cast<std::int32_t>(std::lround(share * (1 << kPrecisionBits)));
    }
    weights.spans.push_back({first - axis.origin, count});
  }
  return weights;
}

std::vector<int> nearestSamples(const ResampleAxis& axis) {
  constexpr std::int64_t kSummedAtMost = 1 << 20;
  const double scale = axis.scale();
  const bool summed = axis.begin < kSummedAtMost;
  double position = axis.low + scale * 0.5;
  if (summed)
    for (std::int64_t i = 0; i < axis.begin; ++i)
      position += scale;
  else
    position += scale * static_cast<double>(axis.begin);
  std::vector<int> samples(static_cast<std::size_t>(axis.count));
  for (int& sample : samples) {
    sample =
        std::clamp(static_cast<int>(std::floor(position)), 0, axis.inputSize - 1) - axis.origin;
    position += scale;
  }
  return samples;
}

void requireAtHand(int first, int last, const ResampleAxis& axis) {
  if (first < 0 || last > axis.available)
    refuse(ErrorCode::InvalidArgument,
           tr("the decoded part of the image is too small for the resized region"));
}

}  // namespace headlight
