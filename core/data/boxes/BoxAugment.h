// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a training image with boxes goes through before a detector sees it: crop, flip, color,
// resizing to the model's size, in this order (PicoDet's, Yu et al. 2021).

#include <cstdint>

#include "core/analysis/boxes/LabeledBox.h"
#include "core/imaging/Preprocess.h"

namespace headlight {

struct BoxAugmentOptions {
  bool crop = true;  ///< randomBoxCrop
  double flipProbability = 0.5;
  double colorJitter = 0;  ///< strength of distortColors; 0: none
  bool randomInterpolation = false;
};

struct BoxedImage {
  Image image;
  LabeledBoxes boxes;  ///< in its pixels
};

/// The image at the size of `preprocessing`, proportions not kept, and the boxes where their
/// objects are then. Every draw comes from `key` alone; each operation has a stream of its own.
/// `boxes` are those that are learned from.
BoxedImage augmentBoxed(const BoxedImage& whole, const BoxAugmentOptions& options,
                        const Preprocessing& preprocessing, std::uint64_t key);

/// The image as evaluationView shows it, and what is left of the boxes in it.
BoxedImage evaluationBoxed(const BoxedImage& whole, const Preprocessing& preprocessing);

}  // namespace headlight
