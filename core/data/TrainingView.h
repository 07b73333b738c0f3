// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From an image to what a model is trained on: augmented, normalized, erased.

#include "core/data/Augment.h"
#include "core/data/EpochOrder.h"
#include "core/data/augment/Erasing.h"

namespace headlight {

/// What everything random of one version of a sample in one epoch comes from.
std::uint64_t augmentKey(std::uint64_t seed, std::int64_t epoch, const PlacedSample& sample);

/// [3, height, width]. With `augment.enabled` false: evaluationView, normalized, nothing erased.
std::vector<float> trainingView(const ImagePart& image, const AugmentOptions& augment,
                                const ErasingOptions& erasing, const Preprocessing& preprocessing,
                                std::uint64_t key);

}  // namespace headlight
