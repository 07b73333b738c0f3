// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/segmentation/SegmenterTrunk.h"

#include <ATen/ATen.h>

namespace headlight {

SegmenterTrunk::SegmenterTrunk(const SegmenterTrunkShape& shape)
    : m_patch(shape.patch), m_grid(shape.positions) {
  m_positions = register_parameter("pos_embed", at::zeros({1, m_grid.patches(), shape.width}));
  m_patches =
      register_module("patch_embed", std::make_shared<PatchEmbedding>(shape.patch, shape.width));
  auto blocks = register_module("blocks", std::make_shared<Holder>());
  for (const BlockOptions& options : shape.blocks)
    m_blocks.push_back(blocks->register_module(std::to_string(m_blocks.size()),
                                               std::make_shared<TransformerBlock>(options)));
  m_norm = register_module("norm", std::make_shared<TokenNorm>(shape.width, shape.normEpsilon));
}

/// As timm's ViT.
void SegmenterTrunk::initialize() {
  const at::NoGradGuard noGrad;
  m_positions.normal_(0, 0.02);
  m_patches->initialize();
  initializeLinears(*this);
}

void SegmenterTrunk::count(CostCounter& counter, const SegmenterTrunkShape& shape,
                           std::int64_t patches) {
  const std::int64_t width = shape.width;
  counter.enter("backbone.");
  counter.parameters("pos_embed", shape.positions.patches() * width);
  counter.convolution("patch_embed.proj", 3, width, shape.patch, 1, /*bias=*/true, patches);
  for (std::size_t l = 0; l < shape.blocks.size(); ++l)
    TransformerBlock::count(counter, "backbone.blocks." + std::to_string(l) + ".", shape.blocks[l]);
  counter.enter("backbone.");
  counter.parameters("norm", TokenNorm::parameters(width, /*rms=*/false));
  counter.enter("");
}

at::Tensor SegmenterTrunk::positionsOn(const Grid& grid) const {
  if (grid.rows == m_grid.rows && grid.cols == m_grid.cols) return m_positions;
  const at::Tensor map = m_positions.transpose(1, 2).reshape({1, -1, m_grid.rows, m_grid.cols});
  const std::int64_t size[] = {grid.rows, grid.cols};
  return at::upsample_bicubic2d(map, at::IntArrayRef(size, 2), /*align_corners=*/false)
      .flatten(2)
      .transpose(1, 2);
}

at::Tensor SegmenterTrunk::embed(const at::Tensor& images) const {
  const Grid grid{static_cast<int>(images.size(2)) / m_patch,
                  static_cast<int>(images.size(3)) / m_patch, /*prefix=*/0};
  return m_patches->forward(images) + positionsOn(grid);
}

}  // namespace headlight
