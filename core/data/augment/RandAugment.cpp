// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/augment/RandAugment.h"

#include <algorithm>
#include <cmath>

#include "core/data/augment/Operations.h"

namespace headlight {
namespace {

/// Every draw is made for every operation, needed or not: what one takes moves no other.
void applyDrawn(EditedImage& image, const AugmentOperation& operation, const RandAugmentSpec& spec,
                Resampling resampling, bool randomInterpolation, RandomStream& draw) {
  const bool applied = draw.uniform() < spec.probability;
  const double level = drawnMagnitude(spec, draw);
  const double sign = draw.below(2) == 0 ? 1 : -1;
  const bool bilinear = draw.below(2) == 0;
  if (!applied) return;
  if (randomInterpolation)
    resampling.interpolation = bilinear ? Interpolation::Bilinear : Interpolation::Bicubic;
  operation.apply(image, operation.argument ? operation.argument(level, sign) : 0, resampling);
}

}  // namespace

double drawnMagnitude(const RandAugmentSpec& spec, RandomStream& draw) {
  const double noise = draw.normal();
  const double share = draw.uniform();
  const double magnitude =
      std::isinf(spec.deviation) ? spec.magnitude * share : spec.magnitude + spec.deviation * noise;
  return std::clamp(magnitude, 0.0, spec.greatest);
}

void randAugment(EditedImage& image, const RandAugmentSpec& spec, Resampling resampling,
                 bool randomInterpolation, std::uint64_t key) {
  const auto operations = augmentOperations(spec.increasing);
  RandomStream draw(key);
  for (int i = 0; i < spec.operations; ++i) {
    const auto chosen = draw.below(static_cast<std::int64_t>(operations.size()));
    applyDrawn(image, operations[static_cast<std::size_t>(chosen)], spec, resampling,
               randomInterpolation, draw);
  }
}

}  // namespace headlight
