// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/attribution/PrincipalComponents.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace headlight {
namespace {

/// [width, count], the largest eigenvalue first, signs as the header says.
at::Tensor signedAxes(const at::Tensor& vectors, std::int64_t count) {
  const at::Tensor axes = vectors.slice(1, vectors.size(1) - count).flip(1);
  const at::Tensor peaks = axes.gather(0, axes.abs().argmax(0, /*keepdim=*/true));
  return axes * peaks.sign();
}

}  // namespace

PrincipalComponents principalComponents(const std::vector<float>& rows, std::int64_t width,
                                        int most) {
  const auto count = static_cast<std::int64_t>(rows.size()) / std::max<std::int64_t>(width, 1);
  PrincipalComponents result;
  if (count < 2 || width < 1) return result;
  const at::NoGradGuard noGrad;
  at::Tensor all =
      at::from_blob(const_cast<float*>(rows.data()), {count, width}, at::kFloat).to(at::kDouble);
  all = all - all.mean(0, /*keepdim=*/true);
  const auto [values, vectors] = at::linalg_eigh(all.t().mm(all) / static_cast<double>(count), "L");
  result.count = static_cast<int>(std::min<std::int64_t>({most, width, count - 1}));
  const at::Tensor scores = all.mm(signedAxes(vectors, result.count)).contiguous();
  result.scores.assign(scores.data_ptr<double>(), scores.data_ptr<double>() + scores.numel());
  const double whole = std::max(values.clamp_min(0).sum().item<double>(), 1e-300);
  for (int c = 0; c < result.count; ++c)
    result.shares.push_back(std::max(0.0, values[width - 1 - c].item<double>()) / whole);
  return result;
}

}  // namespace headlight
