// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Plain numbers for naive references: tensors as doubles, and linear layers by loops.

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace headlight::testing {

using Numbers = std::vector<double>;

inline Numbers numbersOf(const at::Tensor& tensor) {
  const at::Tensor all = tensor.detach().to(at::kCPU, at::kDouble).contiguous();
  return Numbers(all.data_ptr<double>(), all.data_ptr<double>() + all.numel());
}

/// Rows [n, in] through `name`.weight [out, in] and `name`.bias, where there is one.
inline Numbers naiveLinear(const torch::nn::Module& layer, const std::string& name,
                           const Numbers& rows, std::size_t inputs) {
  const auto parameters = layer.named_parameters();
  const at::Tensor weightTensor = parameters[name + ".weight"];
  const Numbers weight = numbersOf(weightTensor);
  const auto outputs = static_cast<std::size_t>(weightTensor.size(0));
  Numbers bias(outputs, 0.0);
  if (parameters.contains(name + ".bias")) bias = numbersOf(parameters[name + ".bias"]);
  Numbers result;
  for (std::size_t n = 0; n < rows.size() / inputs; ++n)
    for (std::size_t o = 0; o < outputs; ++o) {
      double sum = bias[o];
      for (std::size_t i = 0; i < inputs; ++i)
        sum += weight[o * inputs + i] * rows[n * inputs + i];
      result.push_back(sum);
    }
  return result;
}

/// The greatest difference.
inline double gapOf(const at::Tensor& tensor, const Numbers& expected) {
  const Numbers values = numbersOf(tensor);
  EXPECT_EQ(values.size(), expected.size());
  double gap = 0;
  for (std::size_t i = 0; i < std::min(values.size(), expected.size()); ++i)
    gap = std::max(gap, std::abs(values[i] - expected[i]));
  return gap;
}

/// With parameters large enough to matter.
template <typename Layer>
void stir(Layer& layer, double deviation = 0.6) {
  const at::NoGradGuard noGrad;
  for (auto& item : layer.named_parameters())
    item.value().normal_(0, deviation);
}

}  // namespace headlight::testing
