// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/linear/RandomFeatures.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/Random.h"

namespace headlight {
namespace {

/// The length of a vector of `width` standard normal values.
double normalLength(std::int64_t width, RandomStream& random) {
  double squares = 0;
  for (std::int64_t i = 0; i < width; ++i) {
    const double value = random.normal();
    squares += value * value;
  }
  return std::sqrt(squares);
}

}  // namespace

std::int64_t randomFeatureCount(std::int64_t wanted, std::int64_t headWidth) {
  if (wanted > 0) return wanted;
  const auto width = static_cast<double>(headWidth);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(width * std::log(width)));
}

at::Tensor orthogonalVectors(std::int64_t count, std::int64_t width, std::uint64_t key) {
  const at::NoGradGuard noGrad;
  at::Tensor all = at::empty({count, width}, at::kDouble);
  RandomStream lengths(streamKey({key, 0x1e27}));
  std::vector<double> block;
  for (std::int64_t row = 0; row < count; ++row) {
    if (row % width == 0)
      block = randomRotation(static_cast<int>(width),
                             streamKey({key, static_cast<std::uint64_t>(row / width)}));
    const double length = normalLength(width, lengths);
    const double* from = block.data() + row % width * width;
    std::transform(from, from + width, all.data_ptr<double>() + row * width,
                   [length](double value) { return length * value; });
  }
  return all;
}

at::Tensor featureExponents(const at::Tensor& x, const at::Tensor& vectors) {
  const at::Tensor scaled = x * std::pow(static_cast<double>(x.size(-1)), -0.25);
  return at::matmul(scaled, vectors.t()) - scaled.square().sum(-1, /*keepdim=*/true) / 2;
}

void RandomFeatures::setProgress(double fraction) {
  const int draw =
      std::clamp(static_cast<int>(fraction * (m_options.redraws + 1)), 0, m_options.redraws);
  if (draw == m_draw) return;
  m_draw = draw;
  m_drawn = m_vectors = at::Tensor();
}

const at::Tensor& RandomFeatures::vectors(const at::Tensor& like) {
  const auto part = [](int number) { return static_cast<std::uint64_t>(number); };
  if (!m_drawn.defined())
    m_drawn =
        orthogonalVectors(m_options.count, m_options.width,
                          streamKey({part(m_options.seed), part(m_options.layer), part(m_draw)}));
  if (!m_vectors.defined() || m_vectors.device() != like.device() ||
      m_vectors.scalar_type() != like.scalar_type())
    m_vectors = m_drawn.to(like.device(), like.scalar_type());
  return m_vectors;
}

}  // namespace headlight
