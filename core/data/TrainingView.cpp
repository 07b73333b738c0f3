// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/TrainingView.h"

#include "core/base/Random.h"

namespace headlight {
namespace {

constexpr std::uint64_t kAugmentPurpose = 0x6175676dULL;  // "augm"
constexpr std::uint64_t kErasingPurpose = 0x65726173ULL;  // "eras"

}  // namespace

/// The first version's is that of a run without repeated augmentation.
std::uint64_t augmentKey(std::uint64_t seed, std::int64_t epoch, const PlacedSample& sample) {
  const auto key =
      streamKey({seed, kAugmentPurpose, std::uint64_t(epoch), std::uint64_t(sample.index)});
  return sample.copy == 0 ? key : streamKey({key, std::uint64_t(sample.copy)});
}

std::vector<float> trainingView(const ImagePart& image, const AugmentOptions& augment,
                                const ErasingOptions& erasing, const Preprocessing& preprocessing,
                                std::uint64_t key) {
  auto planes = normalize(augmentedView(image, augment, preprocessing, key), preprocessing);
  if (augment.enabled)
    eraseBoxes(planes, preprocessing.height, preprocessing.width, erasing,
               streamKey({key, kErasingPurpose}));
  return planes;
}

}  // namespace headlight
