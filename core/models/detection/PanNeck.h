// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The necks of PP-PicoDet (Yu et al. 2021): a path down and a path up again between maps of strides
// 8, 16 and 32 (PANet, Liu et al. 2018), and a map of stride 64. Internal to core/models.

#include <array>
#include <string>
#include <vector>

#include "core/models/detection/ConvBlock.h"

namespace headlight {

/// Levels have strides 8, 16, 32 and 64.
constexpr int kNeckLevels = 4, kFinestStride = 8;

struct NeckShape {
  std::string kind;       ///< "csp_pan" (ESNet) or "lc_pan" (LCNet)
  std::array<int, 3> in;  ///< channels at strides 8, 16 and 32
  int width;              ///< of all that comes out
};

/// Lateral maps by 1 × 1. Top down, then bottom up, two neighbors are joined and fused to `width`;
/// stride 64 is the sum of what two separable convolutions of stride 2 make of the lateral and of
/// the last map of stride 32. Fusion is two separable convolutions (lc_pan), or a cross-stage layer
/// (csp_pan). Names: lateral.{0,1,2}, top_down.{0,1}, down.{0,1}, bottom_up.{0,1},
/// coarse.{lateral,output}; of a cross-stage layer main, shortcut, inner.{0,1}, join.
class PanNeck : public torch::nn::Module {
 public:
  explicit PanNeck(const NeckShape& shape);
  /// For an image of so many pixels.
  static void count(CostCounter& counter, const NeckShape& shape, std::int64_t height,
                    std::int64_t width);
  /// Of strides 8, 16, 32 with sides that halve exactly → of strides 8, 16, 32, 64.
  std::vector<at::Tensor> forward(const std::vector<at::Tensor>& maps);

 private:
  std::vector<std::shared_ptr<MapLayer>> m_lateral, m_topDown, m_down, m_bottomUp;
  std::shared_ptr<MapLayer> m_coarseLateral, m_coarseOutput;
};

/// [B, c, H, W] → [B, c, 2H, 2W], each value four times.
at::Tensor doubled(const at::Tensor& maps);

}  // namespace headlight
