// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a training image with a class for every pixel goes through: resizing, crop, color, flip and
// padding, in this order (Mask2Former's, Cheng et al. 2022).

#include <cstdint>

#include "core/imaging/ClassImage.h"
#include "core/imaging/Preprocess.h"

namespace headlight {

struct SegmentAugmentOptions {
  bool scales = true;  ///< the short side at a random scale; off: as long as the model's size
  double flipProbability = 0.5;
  double colorJitter = 0;  ///< strength of distortColors; 0: none
};

struct SegmentedImage {
  Image image;
  ClassImage segments;  ///< of its size
};

/// The image at the size of `preprocessing`: the short side at one of {0.5, 0.6 … 2.0} times the
/// size (the longer one of the model's sides), proportions kept and the long side at most 4 times
/// it; a random crop; colors; a flip; what is missing at the right and below is padded with
/// kPaddedPixel and kIgnoredClass. Pixels are resized bilinearly, classes to the nearest. Every
/// draw comes from `key` alone; each operation has a stream of its own. Throws Failure
/// (InvalidArgument) for segments of another size than the image's.
SegmentedImage augmentSegmented(const SegmentedImage& whole, const SegmentAugmentOptions& options,
                                const Preprocessing& preprocessing, std::uint64_t key);

/// The image as evaluationView shows it, and the nearest class for each of its pixels;
/// kIgnoredClass where it is padded.
SegmentedImage evaluationSegmented(const SegmentedImage& whole, const Preprocessing& preprocessing);

}  // namespace headlight
