// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From the queries of a segmenter to a class for every pixel (MaskFormer, Cheng et al. 2021, §3.4:
// semantic inference).

#include <cstdint>
#include <vector>

#include "core/imaging/ClassImage.h"
#include "core/models/segmentation/SegmentScores.h"

namespace headlight {

/// How a picture came to the model, in pixels.
struct SeenPicture {
  std::int64_t height = 0, width = 0;            ///< of what the model saw
  std::int64_t shownHeight = 0, shownWidth = 0;  ///< its upper left part, which the picture fills;
                                                 ///< the rest is padding
  int pictureHeight = 0, pictureWidth = 0;       ///< of the original
};

/// Of image `image` of the batch, by the last prediction: in the original's size, argmax over the K
/// classes of Σ_q softmax(classes)_qk · σ(masks)_q, without "none". Masks are resized bilinearly to
/// what the model saw, scores from there to the original before the argmax, a few classes at a time
/// so that large pictures need no memory for all. Of equal scores the first class counts, and where
/// they are no numbers class 0.
ClassImage pixelClasses(const SegmentScores& scores, std::int64_t image, const SeenPicture& seen);

struct SurePixels {
  ClassImage classes;         ///< pixelClasses()
  std::vector<float> shares;  ///< [height, width]: of that class's score in the sum of all classes'
};
/// The same, and how sure it is.
SurePixels surePixelClasses(const SegmentScores& scores, std::int64_t image,
                            const SeenPicture& seen);

}  // namespace headlight
