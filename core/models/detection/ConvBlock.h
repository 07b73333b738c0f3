// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The convolution that PP-PicoDet's networks (Yu et al. 2021) are made of: no bias, a batch norm,
// hard-swish. Internal to core/models.

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>

#include <string>

#include "core/attention/base/Cost.h"

namespace headlight {

/// A part of a network that makes maps of maps.
class MapLayer : public torch::nn::Module {
 public:
  /// [B, in, H, W] → [B, out, ⌈H/s⌉, ⌈W/s⌉] with the layer's stride s.
  virtual at::Tensor forward(const at::Tensor& maps) = 0;
};

struct ConvShape {
  int in, out;
  int kernel = 1;
  int stride = 1;
  bool depthwise = false;  ///< in = out, a filter a channel
  bool activation = true;  ///< hard-swish
};

/// A convolution padded by (k − 1)/2, a batch norm of this process's images (ε 1e-5, momentum 0.1)
/// and hard-swish: conv, bn.
class ConvBlock : public MapLayer {
 public:
  explicit ConvBlock(const ConvShape& shape);
  /// `positions`: of a map that comes out.
  static void count(CostCounter& counter, const std::string& name, const ConvShape& shape,
                    std::int64_t positions);
  at::Tensor forward(const at::Tensor& maps) override;

 private:
  /// On a CUDA device depthwise ones by kernels of our own, where the build has them.
  at::Tensor convolved(const at::Tensor& maps);

  bool m_activation;
  int m_stride;
  torch::nn::Conv2d m_conv{nullptr};
  torch::nn::BatchNorm2d m_norm{nullptr};
};

struct SeparableShape {
  int in, out;
  int kernel = 5;
  int stride = 1;

  ConvShape depthwise() const { return {in, in, kernel, stride, /*depthwise=*/true}; }
  ConvShape pointwise() const { return {in, out}; }
};

/// A depthwise convolution, then one of 1 × 1: depthwise, pointwise.
class SeparableBlock : public MapLayer {
 public:
  explicit SeparableBlock(const SeparableShape& shape);
  static void count(CostCounter& counter, const std::string& name, const SeparableShape& shape,
                    std::int64_t positions);
  at::Tensor forward(const at::Tensor& maps) override;

 private:
  std::shared_ptr<ConvBlock> m_depthwise, m_pointwise;
};

}  // namespace headlight
