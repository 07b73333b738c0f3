// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From an image to what a model is trained on: augmented, normalized, erased.

#include "core/data/Augment.h"
#include "core/data/EpochOrder.h"
#include "core/data/augment/Erasing.h"
#include "core/data/boxes/BoxAugment.h"
#include "core/data/segments/SegmentAugment.h"

namespace headlight {

/// What everything random of one version of a sample in one epoch comes from.
std::uint64_t augmentKey(std::uint64_t seed, std::int64_t epoch, const PlacedSample& sample);

/// Into `planes`, [3, height, width]. With `augment.enabled` false: evaluationView, normalized,
/// nothing erased.
void trainingView(const ImagePart& image, const AugmentOptions& augment,
                  const ErasingOptions& erasing, const Preprocessing& preprocessing,
                  std::uint64_t key, std::span<float> planes);

/// What a detector is trained on of an image: [3, height, width], and the boxes in its pixels that
/// are learned from.
struct BoxedView {
  std::vector<float> planes;
  LabeledBoxes boxes;
};

/// The same of a whole image with boxes: augmentBoxed, or with `augment.enabled` false
/// evaluationBoxed; normalized, erased.
BoxedView boxedView(const BoxedImage& whole, const AugmentOptions& augment,
                    const ErasingOptions& erasing, const Preprocessing& preprocessing,
                    std::uint64_t key);

/// What a segmentation model is trained on of an image: [3, height, width], and [height, width].
struct SegmentedView {
  std::vector<float> planes;
  ClassImage segments;
};

/// The same of a whole image with a class for every pixel: augmentSegmented, or with
/// `augment.enabled` false evaluationSegmented; normalized, erased (the classes stay).
SegmentedView segmentedView(const SegmentedImage& whole, const AugmentOptions& augment,
                            const ErasingOptions& erasing, const Preprocessing& preprocessing,
                            std::uint64_t key);

/// The preprocessing of a batch that is trained on with boxes: with `augment.multiScale` a square
/// of the side that `key` draws (BatchSide.h); else as it is.
Preprocessing batchPreprocessing(const AugmentOptions& augment, const Preprocessing& preprocessing,
                                 std::uint64_t key);
/// What the side of a batch is drawn from.
std::uint64_t batchKey(std::uint64_t seed, std::int64_t epoch, std::int64_t batch);

}  // namespace headlight
