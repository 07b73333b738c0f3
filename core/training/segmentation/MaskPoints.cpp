// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/segmentation/MaskPoints.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>

#include <algorithm>
#include <mutex>

#include "core/base/Random.h"

namespace headlight {
namespace {

constexpr std::int64_t kBilinear = 0, kZerosBeyond = 0;

/// One of its own: what others draw at the same time changes nothing.
at::Generator generatorOf(std::uint64_t key, const at::Device& device) {
  at::Generator shared = at::globalContext().defaultGenerator(device);
  const std::lock_guard<std::mutex> lock(shared.mutex());
  at::Generator own = shared.clone();
  own.set_current_seed(key);
  return own;
}

/// `points` as grid_sampler has them: from -1 to 1.
at::Tensor sampled(const at::Tensor& maps, const at::Tensor& points) {
  return at::grid_sampler(maps, points * 2 - 1, kBilinear, kZerosBeyond, /*align_corners=*/false);
}

}  // namespace

std::int64_t maskPoints(std::int64_t height, std::int64_t width, std::int64_t most) {
  return std::min(most, height * width);
}

at::Tensor drawnPoints(std::uint64_t key, std::int64_t sets, std::int64_t points,
                       const at::TensorOptions& options) {
  const at::Tensor drawn = at::rand({sets, points, 2}, generatorOf(key, options.device()),
                                    at::TensorOptions(options.device()).dtype(at::kFloat));
  return drawn.to(options);
}

at::Tensor atOwnPoints(const at::Tensor& maps, const at::Tensor& points) {
  return sampled(maps.unsqueeze(1), points.unsqueeze(1)).squeeze(2).squeeze(1);
}

at::Tensor atSharedPoints(const at::Tensor& maps, const at::Tensor& points) {
  return sampled(maps.unsqueeze(0), points.unsqueeze(0).unsqueeze(0)).squeeze(2).squeeze(0);
}

at::Tensor uncertainPoints(const at::Tensor& logits, std::int64_t points, std::uint64_t key) {
  const at::NoGradGuard noGrad;
  const at::Tensor maps = logits.detach();
  const auto uncertain = static_cast<std::int64_t>(kUncertainShare * static_cast<double>(points));
  const at::Tensor candidates = drawnPoints(streamKey({key, kCandidatePoints}), maps.size(0),
                                            kCandidatesAPoint * points, maps.options());
  const at::Tensor distance = atOwnPoints(maps, candidates).abs();
  const at::Tensor chosen =
      std::get<1>(distance.topk(uncertain, /*dim=*/1, /*largest=*/false, /*sorted=*/false));
  const at::Tensor anywhere = drawnPoints(streamKey({key, kPointsAnywhere}), maps.size(0),
                                          points - uncertain, maps.options());
  return at::cat({candidates.gather(1, chosen.unsqueeze(2).expand({-1, -1, 2})), anywhere}, 1);
}

}  // namespace headlight
