// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An MLP that mixes neighboring patches: "adding DWConv in the middle of MLP layers"
// (Castling-ViT, You et al. 2023, §4.4). The paper leaves its size and place open: here it stands
// before the GELU, as in PVTv2's (Wang et al. 2022), without a bias, as that of Castling's
// attention.

#include <torch/nn/modules/batchnorm.h>

#include "core/masks/Grid.h"
#include "core/models/layers/Parts.h"

namespace headlight {

struct ConvolvedMlpOptions {
  int side = 3;                     ///< s; odd, at least 1
  std::string activation = "gelu";  ///< as activated()
  bool batchNorm = false;           ///< over all tokens of a batch, before the activation
};

/// fc2(GELU(DW(fc1(x)))), DW a depthwise convolution over the grid, zeros around it; prefix tokens
/// pass it by. Names: fc1, fc2, dconv.weight [F, 1, s, s] of F hidden features, bn.
class ConvolvedMlp : public Mlp {
 public:
  ConvolvedMlp(int width, int hidden, const ConvolvedMlpOptions& options, const Grid& grid);
  at::Tensor forward(const at::Tensor& tokens) override;
  void setGrid(const Grid& grid) override { m_grid = grid; }

 private:
  at::Tensor convolved(const at::Tensor& hidden) const;
  at::Tensor normed(const at::Tensor& hidden);

  Grid m_grid;
  std::string m_activation;
  at::Tensor m_filter;
  torch::nn::BatchNorm1d m_norm{nullptr};  ///< null without
};

/// Throws Failure(InvalidConfig) for a side that is even and not 0; `path` is for the message.
void requireOddSide(int side, const std::string& path);

}  // namespace headlight
