// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The ViT of a segmenter, in timm's names and without prefix tokens and classifier. Internal to
// core/models.

#include <vector>

#include "core/attention/base/UndecayedParameters.h"
#include "core/models/layers/TransformerBlock.h"

namespace headlight {

struct SegmenterTrunkShape {
  int width = 768;  ///< D
  int patch = 16;
  double normEpsilon = 1e-6;
  Grid positions = {14, 14, /*prefix=*/0};  ///< of the learned positions
  std::vector<BlockOptions> blocks;
};

/// Learned positions lie on a grid of their own and are resized bicubically (not antialiased, as
/// mmsegmentation's ViTs have it) to the grid of every image. Names: pos_embed, patch_embed.proj,
/// blocks.L, norm.
class SegmenterTrunk : public torch::nn::Module, public UndecayedParameters {
 public:
  explicit SegmenterTrunk(const SegmenterTrunkShape& shape);
  /// For images of so many patches.
  static void count(CostCounter& counter, const SegmenterTrunkShape& shape, std::int64_t patches);

  /// [B, 3, H, W], sides multiples of the patch → [B, T, D].
  at::Tensor embed(const at::Tensor& images) const;
  TransformerBlock& block(int layer) { return *m_blocks[layer]; }
  at::Tensor norm(const at::Tensor& tokens) const { return m_norm->forward(tokens); }
  /// [1, T, D] of the positions on such a grid.
  at::Tensor positionsOn(const Grid& grid) const;
  void initialize();

 private:
  int m_patch;
  Grid m_grid;
  at::Tensor m_positions;  ///< [1, T', D]
  std::shared_ptr<PatchEmbedding> m_patches;
  std::vector<std::shared_ptr<TransformerBlock>> m_blocks;
  std::shared_ptr<TokenNorm> m_norm;
};

}  // namespace headlight
