// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/layers/LevitPooling.h"

#include <ATen/ATen.h>

namespace headlight {

at::Tensor pooledHeads(ConvNorm& pool, const at::Tensor& heads, const Grid& grid) {
  const std::int64_t batch = heads.size(0), count = heads.size(1), width = heads.size(3);
  const at::Tensor images =
      heads.transpose(2, 3).reshape({batch * count, width, grid.rows, grid.cols});
  return pool.forward(images).view({batch, count, width, -1}).transpose(2, 3);
}

LevitTokenPool::LevitTokenPool(const Grid& grid, int keyWidth, int valueWidth)
    : m_grid(grid),
      m_keys(register_module("k", std::make_shared<ConvNorm>(keyWidth, keyWidth, keyWidth))),
      m_values(
          register_module("v", std::make_shared<ConvNorm>(valueWidth, valueWidth, valueWidth))) {}

void LevitTokenPool::count(CostCounter& counter, const Grid& grid, int heads, int keyWidth,
                           int valueWidth) {
  const std::int64_t positions = std::int64_t{heads} * grid.strided(2).patches();
  ConvNorm::count(counter, "pool.k", keyWidth, keyWidth, keyWidth, positions);
  ConvNorm::count(counter, "pool.v", valueWidth, valueWidth, valueWidth, positions);
}

}  // namespace headlight
