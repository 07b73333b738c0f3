// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/detection/ConvBlock.h"

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/kernels/KernelChoice.h"
#include "core/attention/kernels/cuda/DepthwiseCuda.h"
#include "core/models/layers/LevitParts.h"
#include "core/models/layers/LocalNorm.h"

namespace headlight {

ConvBlock::ConvBlock(const ConvShape& shape)
    : m_activation(shape.activation), m_stride(shape.stride) {
  m_conv = register_module(
      "conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(shape.in, shape.out, shape.kernel)
                                    .stride(shape.stride)
                                    .padding((shape.kernel - 1) / 2)
                                    .groups(shape.depthwise ? shape.in : 1)
                                    .bias(false)));
  m_norm = register_module("bn", torch::nn::BatchNorm2d(shape.out));
}

void ConvBlock::count(CostCounter& counter, const std::string& name, const ConvShape& shape,
                      std::int64_t positions) {
  counter.convolution(name + ".conv", shape.in, shape.out, shape.kernel,
                      shape.depthwise ? shape.in : 1, /*bias=*/false, positions);
  counter.parameters(name + ".bn", 2 * std::int64_t{shape.out});
}

at::Tensor ConvBlock::convolved(const at::Tensor& maps) {
  if (!PlainKernels::wanted() && cuda::depthwiseTake(maps, m_conv->weight))
    return cuda::depthwiseOnCuda(maps, m_conv->weight, m_stride);
  return m_conv(maps);
}

at::Tensor ConvBlock::forward(const at::Tensor& maps) {
  const at::Tensor normed = mapsNormed(m_norm, inFloat32(convolved(maps)));
  return m_activation ? hardSwish(normed) : normed;
}

SeparableBlock::SeparableBlock(const SeparableShape& shape)
    : m_depthwise(register_module("depthwise", std::make_shared<ConvBlock>(shape.depthwise()))),
      m_pointwise(register_module("pointwise", std::make_shared<ConvBlock>(shape.pointwise()))) {}

void SeparableBlock::count(CostCounter& counter, const std::string& name,
                           const SeparableShape& shape, std::int64_t positions) {
  ConvBlock::count(counter, name + ".depthwise", shape.depthwise(), positions);
  ConvBlock::count(counter, name + ".pointwise", shape.pointwise(), positions);
}

at::Tensor SeparableBlock::forward(const at::Tensor& maps) {
  return m_pointwise->forward(m_depthwise->forward(maps));
}

}  // namespace headlight
