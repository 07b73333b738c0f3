// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Heads of an attention layer in deliberately plain loops and double precision, for the tests of
// mechanisms that differ in their weights and in what follows them.

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/masks/Grid.h"

namespace headlight::testing {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

inline Rows rowsOf(const at::Tensor& matrix) {
  const at::Tensor m = matrix.detach().to(at::kDouble).contiguous();
  const auto values = m.accessor<double, 2>();
  Rows rows(m.size(0), Row(m.size(1)));
  for (std::int64_t i = 0; i < m.size(0); ++i)
    for (std::int64_t j = 0; j < m.size(1); ++j)
      rows[i][j] = values[i][j];
  return rows;
}

inline double dotOf(const Row& a, const Row& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += a[i] * b[i];
  return sum;
}

inline double lengthOf(const Row& a) {
  return std::sqrt(dotOf(a, a));
}

/// e^x over its sum; −∞ is 0.
inline Row softmaxOf(const Row& logits) {
  Row result;
  double sum = 0;
  for (const double x : logits)
    sum += std::exp(x);
  for (const double x : logits)
    result.push_back(std::exp(x) / sum);
  return result;
}

/// Rows over their sums.
inline Rows overSums(Rows rows) {
  for (Row& row : rows) {
    double sum = 0;
    for (const double x : row)
      sum += x;
    for (double& x : row)
      x /= sum;
  }
  return rows;
}

inline Rows productOf(const Rows& weights, const Rows& v) {
  Rows result;
  for (const Row& row : weights) {
    Row y(v[0].size());
    for (std::size_t j = 0; j < v.size(); ++j)
      for (std::size_t f = 0; f < y.size(); ++f)
        y[f] += row[j] * v[j][f];
    result.push_back(y);
  }
  return result;
}

inline at::Tensor parameterOf(const torch::nn::Module& layer, const std::string& name) {
  const auto parameters = layer.named_parameters();
  return parameters[name].detach().to(at::kDouble).contiguous();
}

inline bool hasParameter(const torch::nn::Module& layer, const std::string& name) {
  const auto parameters = layer.named_parameters();
  return parameters.contains(name);
}

/// The weights of one head, and what its output is beside weights·V.
using NaiveWeights = std::function<Rows(int head, const Rows& q, const Rows& k)>;
using NaiveRest = std::function<void(int head, const Rows& v, Rows& y)>;

struct NaiveHeads {
  at::Tensor map, heads;  ///< [B, H, T, T]; [B, T, D], before what follows the heads
};

/// Of a layer with a `qkv`, for tokens x [B, T, D].
inline NaiveHeads naiveHeads(const torch::nn::Module& layer, const at::Tensor& x, int heads,
                             const NaiveWeights& weights, const NaiveRest& rest = {}) {
  const at::Tensor qkv = at::linear(x.detach().to(at::kDouble), parameterOf(layer, "qkv.weight"),
                                    parameterOf(layer, "qkv.bias"));
  const std::int64_t tokens = x.size(1), width = x.size(2), each = width / heads;
  NaiveHeads result{at::zeros({x.size(0), heads, tokens, tokens}, at::kDouble),
                    at::zeros({x.size(0), tokens, width}, at::kDouble)};
  auto map = result.map.accessor<double, 4>();
  auto output = result.heads.accessor<double, 3>();
  for (std::int64_t b = 0; b < x.size(0); ++b)
    for (int h = 0; h < heads; ++h) {
      const auto part = [&](int which) {
        const std::int64_t first = which * width + h * each;
        return rowsOf(qkv[b].slice(1, first, first + each));
      };
      const Rows v = part(2), a = weights(h, part(0), part(1));
      Rows y = productOf(a, v);
      if (rest) rest(h, v, y);
      for (std::int64_t i = 0; i < tokens; ++i) {
        for (std::int64_t j = 0; j < tokens; ++j)
          map[b][h][i][j] = a[i][j];
        for (std::int64_t f = 0; f < each; ++f)
          output[b][i][h * each + f] = y[i][f];
      }
    }
  return result;
}

inline at::Tensor projectedHeads(const torch::nn::Module& layer, const at::Tensor& heads) {
  return at::linear(heads, parameterOf(layer, "proj.weight"), parameterOf(layer, "proj.bias"));
}

/// Adds a depthwise convolution of v over the patches, tap by tap: filters [C, 1, s, s] and a bias
/// [C], of which the head's features begin at `first`.
inline void addConvolution(const at::Tensor& filters, const at::Tensor& bias, std::int64_t first,
                           const Grid& grid, const Rows& v, Rows& y) {
  const auto weight = filters.accessor<double, 4>();
  const auto shift = bias.accessor<double, 1>();
  const int side = static_cast<int>(filters.size(2)), half = side / 2;
  for (int patch = 0; patch < grid.patches(); ++patch)
    for (std::size_t f = 0; f < v[0].size(); ++f) {
      const std::int64_t channel = first + static_cast<std::int64_t>(f);
      double& sum = y[grid.prefix + patch][f];
      sum += shift[channel];
      for (int a = -half; a <= half; ++a)
        for (int b = -half; b <= half; ++b) {
          const int row = patch / grid.cols + a, col = patch % grid.cols + b;
          if (row < 0 || row >= grid.rows || col < 0 || col >= grid.cols) continue;
          sum += weight[channel][0][a + half][b + half] * v[grid.prefix + row * grid.cols + col][f];
        }
    }
}

/// Largest |a − b| whatever their dtypes and devices.
inline double gapOf(const at::Tensor& a, const at::Tensor& b) {
  const auto host = [](const at::Tensor& t) { return t.detach().to(at::kCPU, at::kDouble); };
  return (host(a) - host(b)).abs().max().item<double>();
}

inline std::int64_t countParameters(const torch::nn::Module& layer) {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : layer.parameters())
    count += parameter.numel();
  return count;
}

}  // namespace headlight::testing
