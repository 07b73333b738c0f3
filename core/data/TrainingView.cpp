// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/TrainingView.h"

#include "core/base/Random.h"
#include "core/data/boxes/BatchSide.h"
#include "core/data/boxes/BoxGeometry.h"

namespace headlight {
namespace {

constexpr std::uint64_t kAugmentPurpose = 0x6175676dULL;  // "augm"
constexpr std::uint64_t kErasingPurpose = 0x65726173ULL;  // "eras"
constexpr std::uint64_t kSidePurpose = 0x73696465ULL;     // "side"

void eraseInTraining(std::span<float> planes, bool train, const ErasingOptions& erasing,
                     const Preprocessing& preprocessing, std::uint64_t key) {
  if (train)
    eraseBoxes(planes, preprocessing.height, preprocessing.width, erasing,
               streamKey({key, kErasingPurpose}));
}

/// Normalized, and in training erased.
std::vector<float> finishedPlanes(const Image& view, bool train, const ErasingOptions& erasing,
                                  const Preprocessing& preprocessing, std::uint64_t key) {
  auto planes = normalize(view, preprocessing);
  eraseInTraining(planes, train, erasing, preprocessing, key);
  return planes;
}

BoxAugmentOptions boxOptions(const AugmentOptions& augment) {
  return {augment.boxCrop, augment.flipProbability, augment.colorJitter,
          augment.randomInterpolation};
}

}  // namespace

/// The first version's is that of a run without repeated augmentation.
std::uint64_t augmentKey(std::uint64_t seed, std::int64_t epoch, const PlacedSample& sample) {
  const auto key =
      streamKey({seed, kAugmentPurpose, std::uint64_t(epoch), std::uint64_t(sample.index)});
  return sample.copy == 0 ? key : streamKey({key, std::uint64_t(sample.copy)});
}

void trainingView(const ImagePart& image, const AugmentOptions& augment,
                  const ErasingOptions& erasing, const Preprocessing& preprocessing,
                  std::uint64_t key, std::span<float> planes) {
  normalize(augmentedView(image, augment, preprocessing, key), preprocessing, planes);
  eraseInTraining(planes, augment.enabled, erasing, preprocessing, key);
}

BoxedView boxedView(const BoxedImage& whole, const AugmentOptions& augment,
                    const ErasingOptions& erasing, const Preprocessing& preprocessing,
                    std::uint64_t key) {
  const BoxedImage learned{whole.image, learnableBoxes(whole.boxes)};
  BoxedImage view = augment.enabled ? augmentBoxed(learned, boxOptions(augment), preprocessing, key)
                                    : evaluationBoxed(learned, preprocessing);
  return {finishedPlanes(view.image, augment.enabled, erasing, preprocessing, key),
          std::move(view.boxes)};
}

SegmentedView segmentedView(const SegmentedImage& whole, const AugmentOptions& augment,
                            const ErasingOptions& erasing, const Preprocessing& preprocessing,
                            std::uint64_t key) {
  const SegmentAugmentOptions options{augment.segmentScales, augment.flipProbability,
                                      augment.colorJitter};
  SegmentedImage view = augment.enabled ? augmentSegmented(whole, options, preprocessing, key)
                                        : evaluationSegmented(whole, preprocessing);
  return {finishedPlanes(view.image, augment.enabled, erasing, preprocessing, key),
          std::move(view.segments)};
}

Preprocessing batchPreprocessing(const AugmentOptions& augment, const Preprocessing& preprocessing,
                                 std::uint64_t key) {
  Preprocessing scaled = preprocessing;
  if (augment.enabled && augment.multiScale && scaled.width == scaled.height)
    scaled.width = scaled.height = sideOfBatch(preprocessing.width, key);
  return scaled;
}

std::uint64_t batchKey(std::uint64_t seed, std::int64_t epoch, std::int64_t batch) {
  return streamKey({seed, kSidePurpose, std::uint64_t(epoch), std::uint64_t(batch)});
}

}  // namespace headlight
