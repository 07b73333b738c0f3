// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/pairs/JointPlane.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

/// Variance below this share of the mean square is rounding.
constexpr double kNoVariance = 1e-24;

/// [d, 2], the direction of largest variance first.
at::Tensor planeAxes(const at::Tensor& vectors) {
  const std::int64_t width = vectors.size(1);
  at::Tensor axes = vectors.slice(1, std::max<std::int64_t>(0, width - 2)).flip(1);
  axes = axes * axes.gather(0, axes.abs().argmax(0, /*keepdim=*/true)).sign();
  return width > 1 ? axes : at::cat({axes, at::zeros_like(axes)}, 1);
}

}  // namespace

JointPlane jointPlane(const at::Tensor& queries, const at::Tensor& keys) {
  at::Tensor all = at::cat({queries, keys}, 0);
  const double square = all.square().sum(1).mean().item<double>();
  all = all - all.mean(0, /*keepdim=*/true);
  const auto [values, vectors] =
      at::linalg_eigh(all.t().mm(all) / static_cast<double>(all.size(0)), "L");
  const at::Tensor variances = values.clamp_min(0);
  const double whole = variances.sum().item<double>();
  if (!(whole > kNoVariance * square))
    throw Failure({ErrorCode::InvalidArgument,
                   tr("all queries and keys are the same, so there is nothing to map; take more "
                      "tokens or images"),
                   "query-key map"});
  const at::Tensor places = all.mm(planeAxes(vectors)).contiguous();
  JointPlane plane{places.slice(0, 0, queries.size(0)), places.slice(0, queries.size(0)), {}};
  for (std::int64_t i = 0; i < std::min<std::int64_t>(2, variances.size(0)); ++i)
    plane.shares[static_cast<std::size_t>(i)] =
        variances[variances.size(0) - 1 - i].item<double>() / whole;
  return plane;
}

}  // namespace headlight
