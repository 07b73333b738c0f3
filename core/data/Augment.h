// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a training image goes through before the model sees it: random resized crop, flip, color
// or RandAugment.

#include <cstdint>
#include <optional>

#include "core/config/RandAugmentText.h"
#include "core/imaging/Preprocess.h"

namespace headlight {

struct AugmentOptions {
  bool enabled = true;     ///< off: evaluationView
  double minScale = 0.35;  ///< random resized crop: least share of the area
  double minRatio = 0.75;  ///< least aspect ratio; the greatest is its inverse
  double flipProbability = 0.5;
  double colorJitter = 0.0;  ///< strength of brightness, contrast and saturation changes; 0: none
  std::optional<RandAugmentSpec> randAugment;  ///< after crop and flip, and as in timm no jitter
  bool jpegScaling = false;          ///< crops out of JPEGs that are decoded reduced: jpegEighths()
  bool randomInterpolation = false;  ///< crops and RandAugment: bilinear or bicubic at random
  // Of images with boxes, in place of the random resized crop (core/data/boxes/BoxAugment.h).
  bool boxCrop = true;
  bool multiScale = false;  ///< each batch at a side of its own (core/data/boxes/BatchSide.h)
  // Of images with a class for every pixel (core/data/segments/SegmentAugment.h).
  bool segmentScales = true;
};

/// The image as the model would see it, preprocessing.width × height, not normalized; every draw
/// comes from `key` alone. With `enabled` false: evaluationView. An image that has the size
/// already and is shown whole is passed on as it is.
/// `image` holds at least what choosePart() asks for with the same key.
Image augmentedView(const ImagePart& image, const AugmentOptions& options,
                    const Preprocessing& preprocessing, std::uint64_t key);

/// What of an image its view needs: the crop, and what the filter looks at around it. All of it
/// with `enabled` false.
ChoosePart choosePart(const AugmentOptions& options, const Preprocessing& preprocessing,
                      std::uint64_t key);

/// The least scale, in eighths, in which a JPEG may be decoded for a crop of `width` × `height`
/// that is resized to the size of `preprocessing`: 8 (all of it), 4, 2 or 1, so that the reduced
/// crop still has twice that size in both axes. What is left then differs by 0.7 to 0.9 of 255 in
/// the mean (photographs, at exactly twice), less than half of what bilinear and bicubic differ.
int jpegEighths(double width, double height, const Preprocessing& preprocessing);

}  // namespace headlight
