// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Gradients of a module against central differences, in double precision.

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace headlight::testing {

/// `loss` is a scalar of `input` (a leaf that requires gradients) and of the parameters of
/// `module`, all double. Every tensor must have a gradient; about 23 entries of each are checked.
inline void expectFiniteDifferences(const torch::nn::Module& module, const at::Tensor& input,
                                    const std::function<at::Tensor()>& loss) {
  constexpr double kStep = 1e-6, kTolerance = 2e-6;  // relative to 1 + |g|
  loss().backward();
  std::vector<std::pair<std::string, at::Tensor>> checked{{"input", input}};
  for (const auto& item : module.named_parameters())
    checked.emplace_back(item.key(), item.value());
  for (const auto& [name, tensor] : checked) {
    ASSERT_TRUE(tensor.grad().defined()) << name;
    const at::Tensor flat = tensor.detach().view(-1), gradient = tensor.grad().reshape(-1);
    const auto stride = std::max<std::int64_t>(1, flat.numel() / 23);
    for (std::int64_t i = 0; i < flat.numel(); i += stride) {
      const at::NoGradGuard noGrad;
      const double value = flat[i].item<double>();
      flat[i].fill_(value + kStep);
      const double above = loss().item<double>();
      flat[i].fill_(value - kStep);
      const double below = loss().item<double>();
      flat[i].fill_(value);
      const double expected = (above - below) / (2 * kStep);
      ASSERT_NEAR(gradient[i].item<double>(), expected, kTolerance * (1 + std::abs(expected)))
          << name << " " << i;
    }
  }
}

/// The same of what a layer gives for `input`, weighted at random.
template <typename Layer>
void expectLayerGradients(Layer& layer, const at::Tensor& input) {
  const at::Tensor weights = at::randn_like(layer.forward(input, nullptr)).detach();
  expectFiniteDifferences(layer, input,
                          [&] { return (layer.forward(input, nullptr) * weights).sum(); });
}

}  // namespace headlight::testing
