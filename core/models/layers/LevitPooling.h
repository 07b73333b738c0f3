// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Token pooling in LeViT: its keys and values halved on each side after their projection, as MViTv2
// pools them (Li et al. 2022, §3): rows 1 and 4 of Castling-ViT's Table 1. Internal to core/models.

#include <memory>

#include "core/masks/Grid.h"
#include "core/models/layers/LevitParts.h"

namespace headlight {

/// Every head is an image: [B, H, T, d] on `grid` → [B, H, ⌈rows/2⌉·⌈cols/2⌉, d].
at::Tensor pooledHeads(ConvNorm& pool, const at::Tensor& heads, const Grid& grid);

/// A depthwise 3 × 3 convolution of stride 2 that heads share, and a batch norm, of keys and of
/// values: `k`, `v`.
class LevitTokenPool : public torch::nn::Module {
 public:
  LevitTokenPool(const Grid& grid, int keyWidth, int valueWidth);
  static void count(CostCounter& counter, const Grid& grid, int heads, int keyWidth,
                    int valueWidth);

  at::Tensor keys(const at::Tensor& heads) { return pooledHeads(*m_keys, heads, m_grid); }
  at::Tensor values(const at::Tensor& heads) { return pooledHeads(*m_values, heads, m_grid); }

 private:
  Grid m_grid;
  std::shared_ptr<ConvNorm> m_keys, m_values;
};

}  // namespace headlight
