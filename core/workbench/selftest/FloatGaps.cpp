// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/selftest/FloatGaps.h"

#include <ATen/ATen.h>

#include "core/models/backbones/Model.h"

namespace headlight {
namespace {

at::Tensor inDouble(const at::Tensor& tensor) {
  return tensor.detach().to(at::kCPU, at::kDouble);
}

}  // namespace

at::Tensor seededNoise(at::IntArrayRef sizes, std::uint64_t seed) {
  const auto random = holdTorchRandom();
  seedTorch(seed);
  return at::randn(sizes, at::kDouble);
}

at::Tensor seededUniform(at::IntArrayRef sizes, std::uint64_t seed) {
  const auto random = holdTorchRandom();
  seedTorch(seed);
  return at::rand(sizes, at::kDouble);
}

double scaledGap(const at::Tensor& found, const at::Tensor& expected) {
  const at::Tensor exact = inDouble(expected);
  return ((inDouble(found) - exact).abs().max() / (1 + exact.abs().max())).item<double>();
}

double relativeGap(const at::Tensor& found, const at::Tensor& expected) {
  const at::Tensor exact = inDouble(expected);
  return ((inDouble(found) - exact).norm() / exact.norm()).item<double>();
}

}  // namespace headlight
