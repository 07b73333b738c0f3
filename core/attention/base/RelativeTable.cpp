// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/base/RelativeTable.h"

#include <ATen/ATen.h>

#include "core/attention/base/TokenPairLimit.h"
#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

std::int64_t offsets(const Grid& grid) {
  return std::int64_t{2 * grid.rows - 1} * (2 * grid.cols - 1);
}

}  // namespace

std::int64_t relativeTableRows(const Grid& grid) {
  return offsets(grid) + kClassTokenRows;
}

at::Tensor relativeTableIndex(const Grid& grid) {
  const at::Tensor patches = at::arange(grid.patches(), at::kLong);
  const at::Tensor row = patches.div(grid.cols, "floor"), col = patches.remainder(grid.cols);
  const auto offset = [](const at::Tensor& place, int side) {
    return place.unsqueeze(1) - place.unsqueeze(0) + (side - 1);
  };
  const at::Tensor between = offset(row, grid.rows) * (2 * grid.cols - 1) + offset(col, grid.cols);
  const at::Tensor index = at::constant_pad_nd(between, {1, 0, 1, 0});
  const std::int64_t first = offsets(grid);
  index[0].fill_(first);
  index.select(1, 0).fill_(first + 1);
  index[0][0].fill_(first + 2);
  return index.flatten();
}

void requireRelativeTable(const Grid& grid) {
  requireTokenPairsFit(grid.patches());
  if (grid.prefix == 1 && grid.registers == 0) return;
  throw Failure({ErrorCode::InvalidConfig,
                 tr("relative position tables support exactly one class token; turn class_token "
                    "on, and distilled and registers off"),
                 "model.attention.relative_positions"});
}

}  // namespace headlight
