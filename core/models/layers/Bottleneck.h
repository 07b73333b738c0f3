// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A bottleneck beside the MLP of a block (AdaptFormer, Chen et al. 2022): s · up(ReLU(down(x))) of
// the tokens that the MLP reads, added to its output. LayerScale and drop path then act on both.

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <string>

namespace headlight {

/// Parameters: down.weight [r, D], down.bias, up.weight [D, r], up.bias; buffer: scale. up starts
/// from 0, so that nothing changes at first.
class Bottleneck : public torch::nn::Module {
 public:
  /// `like`: of whose type and device it is. `dropout`: of what `down` gives, in training.
  Bottleneck(std::int64_t width, std::int64_t hidden, double scale, double dropout,
             const at::Tensor& like);
  /// down.weight uniform within ±1/√D, drawn from `key`; biases stay 0.
  void initialize(std::uint64_t key);
  at::Tensor forward(const at::Tensor& tokens);
  std::int64_t hidden() const { return m_down.size(0); }
  void setDropout(double dropout) { m_dropout = dropout; }

 private:
  double m_dropout;
  at::Tensor m_down, m_downBias, m_up, m_upBias, m_scale;
};

/// "blocks.0.mlp." of "blocks.0.mlp.bottleneck.up.bias"; empty: no tensor of a bottleneck.
std::string bottleneckOwner(const std::string& tensor);

}  // namespace headlight
