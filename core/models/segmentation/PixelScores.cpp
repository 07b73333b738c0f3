// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/segmentation/PixelScores.h"

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"

namespace headlight {
namespace {

constexpr double kLeastScore = 1e-12;  // so that no logarithm is infinite

}  // namespace

at::Tensor pixelScores(const at::Tensor& classes, const at::Tensor& masks) {
  const Float32Scope exact;
  const at::Tensor shares = classes.softmax(-1).narrow(-1, 0, classes.size(-1) - 1);
  const at::Tensor scores = at::matmul(shares.transpose(1, 2), masks.sigmoid().flatten(2));
  return scores.reshape({scores.size(0), scores.size(1), masks.size(2), masks.size(3)});
}

at::Tensor greatestScores(const at::Tensor& classes, const at::Tensor& masks) {
  const at::Tensor scores = pixelScores(classes, masks).flatten(2);
  return scores.amax(2).clamp_min(kLeastScore).log();
}

}  // namespace headlight
