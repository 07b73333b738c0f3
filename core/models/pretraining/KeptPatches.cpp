// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/pretraining/KeptPatches.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/base/Random.h"

namespace headlight {
namespace {

constexpr std::uint64_t kTrainingPurpose = 0x6d6165ULL;        // "mae"
constexpr std::uint64_t kEvaluationPurpose = 0x6d61656576ULL;  // "maeev"

}  // namespace

std::int64_t keptCount(std::int64_t patches, double maskRatio) {
  TORCH_CHECK(patches >= 2, "an image of ", patches, " patches cannot lose some and keep some");
  const auto kept = static_cast<std::int64_t>(static_cast<double>(patches) * (1 - maskRatio));
  return std::clamp<std::int64_t>(kept, 1, patches - 1);
}

at::Tensor keptPatches(std::int64_t patches, std::int64_t count,
                       const std::vector<std::uint64_t>& keys) {
  const auto images = static_cast<std::int64_t>(keys.size());
  at::Tensor kept = at::empty({images, count}, at::kLong);
  for (std::int64_t i = 0; i < images; ++i) {
    std::vector<std::int64_t> order = permutation(patches, keys[static_cast<std::size_t>(i)]);
    std::sort(order.begin(), order.begin() + count);
    std::copy_n(order.begin(), count, kept.data_ptr<std::int64_t>() + i * count);
  }
  return kept;
}

std::uint64_t trainingKey(std::uint64_t seed, std::int64_t step, std::int64_t row) {
  return streamKey(
      {seed, kTrainingPurpose, static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(row)});
}

std::uint64_t evaluationKey(std::int64_t image) {
  return streamKey({kEvaluationPurpose, static_cast<std::uint64_t>(image)});
}

at::Tensor droppedPatches(const at::Tensor& kept, std::int64_t patches) {
  return at::ones({kept.size(0), patches}, kept.options().dtype(at::kBool)).scatter(1, kept, 0);
}

}  // namespace headlight
