// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The blocks of ESNet, "Enhanced ShuffleNet" (PP-PicoDet, Yu et al. 2021, Fig. 2). Internal to
// core/models.

#include "core/models/detection/SqueezeExcitation.h"

namespace headlight {

struct EsShape {
  int in, out;
  int middle;      ///< m, even
  int stride = 1;  ///< 2: EsDownsample
};

/// [B, C, H, W] with channels of two halves put in turn: a₀ b₀ a₁ b₁ ….
at::Tensor shuffledHalves(const at::Tensor& maps);

/// Of the channels' halves x₁, x₂ the second goes through u = 1 × 1 to m/2, v = depthwise 3 × 3 of
/// u without activation, squeeze and excitation of [u, v], 1 × 1; [x₁, that] is shuffled. Stride 1,
/// as many channels as before: expand, depthwise, se, project.
class EsBlock : public MapLayer {
 public:
  explicit EsBlock(const EsShape& shape);
  static void count(CostCounter& counter, const std::string& name, const EsShape& shape,
                    std::int64_t positions);
  at::Tensor forward(const at::Tensor& maps) override;

 private:
  std::shared_ptr<ConvBlock> m_expand, m_depthwise, m_project;
  std::shared_ptr<SqueezeExcitation> m_squeeze;
};

/// Stride 2, two branches of all channels, each to half of `out`: depthwise 3 × 3 and 1 × 1; and
/// 1 × 1 to m/2, depthwise 3 × 3, squeeze and excitation, 1 × 1. Joined, then a depthwise 3 × 3 and
/// 1 × 1. Depthwise ones of the branches have no activation: left.depthwise, left.project,
/// right.expand, right.depthwise, right.se, right.project, joined.depthwise, joined.pointwise.
class EsDownsample : public MapLayer {
 public:
  explicit EsDownsample(const EsShape& shape);
  /// `positions`: of a map that comes out; `before`: of one that comes in.
  static void count(CostCounter& counter, const std::string& name, const EsShape& shape,
                    std::int64_t positions, std::int64_t before);
  at::Tensor forward(const at::Tensor& maps) override;

 private:
  std::shared_ptr<ConvBlock> m_leftDepthwise, m_leftProject;
  std::shared_ptr<ConvBlock> m_expand, m_depthwise, m_project;
  std::shared_ptr<SqueezeExcitation> m_squeeze;
  std::shared_ptr<SeparableBlock> m_joined;
};

}  // namespace headlight
