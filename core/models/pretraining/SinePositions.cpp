// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/pretraining/SinePositions.h"

#include <ATen/ATen.h>

namespace headlight {
namespace {

constexpr double kSlowest = 10000;

/// [places] → [places, width / 2]: sines, then cosines.
at::Tensor wavesAt(const at::Tensor& places, int width) {
  const int quarter = width / 4;
  const at::Tensor exponents = at::arange(quarter, at::kDouble) / static_cast<double>(quarter);
  const at::Tensor angles =
      places.unsqueeze(1) * at::pow(at::Scalar(kSlowest), -exponents).unsqueeze(0);
  return at::cat({angles.sin(), angles.cos()}, 1);
}

}  // namespace

at::Tensor sinePositions(const Grid& grid, int width) {
  TORCH_CHECK(width % 4 == 0, "sine positions need a width that is a multiple of 4, not ", width);
  const at::Tensor rows = at::arange(grid.rows, at::kDouble).repeat_interleave(grid.cols);
  const at::Tensor cols = at::arange(grid.cols, at::kDouble).repeat({grid.rows});
  const at::Tensor patches = at::cat({wavesAt(cols, width), wavesAt(rows, width)}, 1);
  return at::cat({at::zeros({grid.prefix, width}, at::kDouble), patches})
      .unsqueeze(0)
      .to(at::kFloat);
}

}  // namespace headlight
