// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/segmentation/SinePositions.h"

#include <ATen/ATen.h>

#include <cmath>

namespace headlight {
namespace {

constexpr double kTemperature = 10000, kRemainder = 1e-6;
constexpr double kWholeTurn = 6.283185307179586;

/// [length, features].
at::Tensor wavesAlong(int length, int features, const at::TensorOptions& options) {
  const at::Tensor angles =
      at::arange(1, length + 1, options) * (kWholeTurn / (length + kRemainder));
  const at::Tensor rates =
      (at::arange(features / 2, options) * (-2 * std::log(kTemperature) / features)).exp();
  const at::Tensor turned = angles.unsqueeze(1) * rates;
  return at::stack({turned.sin(), turned.cos()}, 2).flatten(1);
}

}  // namespace

at::Tensor sinePositions(const Grid& grid, int width, const at::TensorOptions& options) {
  const int features = width / 2;
  const at::Tensor down = wavesAlong(grid.rows, features, options).unsqueeze(1);
  const at::Tensor across = wavesAlong(grid.cols, features, options).unsqueeze(0);
  return at::cat({down.expand({grid.rows, grid.cols, features}),
                  across.expand({grid.rows, grid.cols, features})},
                 2)
      .flatten(0, 1);
}

}  // namespace headlight
