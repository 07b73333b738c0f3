// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What both kinds of pooling attention are tested with: cases, and pooling by loops (MViTv2, §3).

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/linear/PoolingAttention.h"
#include "core/models/backbones/Model.h"

namespace headlight::testing::pooling {

constexpr double kTolerance = 1e-5;  // float32 against double

struct Case {
  Grid grid;
  int heads, headWidth, inputWidth, queryStride, keyStride;
  std::vector<std::string> masks;
  bool residual = true;

  PoolingOptions options() const {
    return {.attention = {.layer = 1, .width = heads * headWidth, .heads = heads, .grid = grid},
            .inputWidth = inputWidth,
            .queryStride = queryStride,
            .keyStride = keyStride,
            .residual = residual};
  }
  std::vector<HeadMask> headMasks() const {
    std::vector<HeadMask> result;
    for (const auto& text : masks)
      result.push_back(*headMaskFromText(text));
    return result;
  }
};

/// Keys coarser than, equal to and finer than queries; grids that strides do not divide.
inline std::vector<Case> cases() {
  return {{{4, 4, 0}, 1, 6, 6, 1, 4, {"none"}},
          {{4, 6, 0}, 2, 4, 8, 1, 2, {"hard:3", "none"}},
          {{4, 8, 0}, 2, 4, 5, 2, 2, {"soft:3@0.3", "strict:3"}},
          {{6, 4, 0}, 3, 3, 9, 2, 1, {"hard:3", "random:3#5", "strict:1"}},
          {{5, 3, 0}, 2, 5, 4, 1, 2, {"strict:1", "soft:1@0.6"}, false},
          {{3, 5, 0}, 1, 4, 4, 2, 1, {"hard:1"}}};
}

template <typename Layer>
std::shared_ptr<Layer> makeLayer(const PoolingOptions& options, at::ScalarType type) {
  seedTorch(8);
  auto layer = std::make_shared<Layer>(options);
  {
    const at::NoGradGuard noGrad;  // wide enough that positions and norms show
    for (auto& item : layer->named_parameters())
      if (item.key().starts_with("rel_pos") || item.key().starts_with("norm"))
        item.value().normal_(0, 0.8);
  }
  layer->to(type);
  return layer;
}

using Weights = torch::OrderedDict<std::string, at::Tensor>;

/// Pooled q, k or v of one image by loops: [H, T', d].
inline at::Tensor naivePooled(const Case& c, const Weights& p, const at::Tensor& x, int which,
                              int stride) {
  const std::string name = std::string(1, "qkv"[which]);
  const at::Tensor product = at::linear(x, p["qkv.weight"], p["qkv.bias"]).contiguous();
  const at::Tensor weight = p["pool_" + name + ".weight"], gain = p["norm_" + name + ".weight"],
                   shift = p["norm_" + name + ".bias"];
  const auto in = product.accessor<double, 2>();
  const int rows = (c.grid.rows + stride - 1) / stride, cols = (c.grid.cols + stride - 1) / stride;
  at::Tensor result = at::zeros({c.heads, rows * cols, c.headWidth}, at::kDouble);
  auto out = result.accessor<double, 3>();
  for (int h = 0; h < c.heads; ++h)
    for (int t = 0; t < rows * cols; ++t) {
      double mean = 0, square = 0;
      for (int f = 0; f < c.headWidth; ++f) {
        for (int dr = -1; dr <= 1; ++dr)
          for (int dc = -1; dc <= 1; ++dc) {
            const int r = t / cols * stride + dr, col = t % cols * stride + dc;
            if (r < 0 || r >= c.grid.rows || col < 0 || col >= c.grid.cols) continue;
            out[h][t][f] +=
                weight[f][0][dr + 1][dc + 1].item<double>() *
                in[r * c.grid.cols + col][which * c.heads * c.headWidth + h * c.headWidth + f];
          }
        mean += out[h][t][f] / c.headWidth;
        square += out[h][t][f] * out[h][t][f] / c.headWidth;
      }
      for (int f = 0; f < c.headWidth; ++f)
        out[h][t][f] = (out[h][t][f] - mean) / std::sqrt(square - mean * mean + 1e-6) *
                           gain[f].item<double>() +
                       shift[f].item<double>();
    }
  return result;
}

inline at::Tensor sideBySide(const at::Tensor& heads) {  // [H, T, d] → [T, D]
  return heads.transpose(0, 1).reshape({heads.size(1), -1});
}

inline Weights doubled(const torch::nn::Module& layer) {
  Weights result;
  for (const auto& item : layer.named_parameters())
    result.insert(item.key(), item.value().detach().to(at::kDouble));
  return result;
}

inline double gap(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b).abs().max().item<double>();
}

}  // namespace headlight::testing::pooling
