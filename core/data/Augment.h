#pragma once
// What a training picture goes through before the model sees it: random resized crop, flip, colour
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
  bool randomInterpolation = false;  ///< crops and RandAugment: bilinear or bicubic at random
};

/// The picture as the model would see it, preprocessing.width × height, not normalised; every draw
/// comes from `key` alone. With `enabled` false: evaluationView. A picture that has the size
/// already and is shown whole is passed on as it is.
Image augmentedView(const Image& image, const AugmentOptions& options,
                    const Preprocessing& preprocessing, std::uint64_t key);

}  // namespace headlight
