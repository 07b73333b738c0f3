// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The pieces of LeViT (Graham et al. 2021): every linear map and convolution is followed by a batch
// norm instead of carrying a bias. Their epsilon is torch's, 1e-5, as in timm; no config chooses
// it. Internal to core/models.

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>

#include <memory>
#include <string>

#include "core/attention/base/Cost.h"
#include "core/attention/base/NarrowWeight.h"
#include "core/models/layers/RunningNorm.h"

namespace headlight {

/// x·σ₆(x): LeViT's hard-swish, in place where nobody needs x again.
at::Tensor hardSwish(at::Tensor x);

/// A 3 × 3 convolution of stride 2 and a batch norm: `linear`, `bn`.
class ConvNorm : public torch::nn::Module {
 public:
  ConvNorm(int in, int out, int groups = 1);
  static void count(CostCounter& counter, const std::string& name, std::int64_t in,
                    std::int64_t out, std::int64_t groups, std::int64_t positions);
  /// [B, in, R, C] → [B, out, ⌈R/2⌉, ⌈C/2⌉], and hard-swish where that comes behind.
  at::Tensor forward(const at::Tensor& images, BehindNorm behind = BehindNorm::Tokens);

 private:
  torch::nn::Conv2d m_linear{nullptr};
  torch::nn::BatchNorm2d m_norm{nullptr};
};

/// A linear map and a batch norm over all tokens: `linear`, `bn`. `scale` is the norm's weight at
/// the start; 0 where the map ends a residual branch, so that the branch starts as nothing.
class LinearNorm : public torch::nn::Module {
 public:
  LinearNorm(int in, int out, double scale = 1.0);
  static void count(CostCounter& counter, const std::string& name, std::int64_t in,
                    std::int64_t out, std::int64_t tokens);
  /// [B, T, in] → [B, T, out], and hard-swish where that comes behind.
  at::Tensor forward(const at::Tensor& tokens, BehindNorm behind = BehindNorm::Tokens);
  const at::Tensor& weight() const { return m_linear->weight; }  ///< [out, in]

 private:
  NarrowingLinear m_linear{nullptr};
  torch::nn::BatchNorm1d m_norm{nullptr};
};

/// A batch norm and a linear map with bias, the head: `bn`, `linear`.
class NormLinear : public torch::nn::Module {
 public:
  NormLinear(int in, int out);
  static void count(CostCounter& counter, const std::string& name, std::int64_t in,
                    std::int64_t out);
  /// [B, in] → [B, out].
  at::Tensor forward(const at::Tensor& features);

 private:
  torch::nn::BatchNorm1d m_norm{nullptr};
  NarrowingLinear m_linear{nullptr};
};

/// Two LinearNorms with hard-swish between: `ln1`, `ln2`.
class LevitMlp : public torch::nn::Module {
 public:
  LevitMlp(int width, int hidden);
  static void count(CostCounter& counter, const std::string& name, std::int64_t width,
                    std::int64_t hidden, std::int64_t tokens);
  at::Tensor forward(const at::Tensor& tokens);

 private:
  std::shared_ptr<LinearNorm> m_first, m_second;
};

}  // namespace headlight
