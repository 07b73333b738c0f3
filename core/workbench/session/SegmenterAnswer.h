// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From the queries of a segmenter to a class for every pixel of the original image (Mask2Former,
// Cheng et al. 2022, semantic inference). Torch types: core only.

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/imaging/Preprocess.h"
#include "core/models/segmentation/MaskedDecoder.h"
#include "core/models/segmentation/SegmentScores.h"
#include "core/workbench/session/Segments.h"

namespace headlight {

class Model;

/// Where what a model saw lies in an image, in whole pixels of the image.
struct SegmentPlace {
  int imageWidth = 0, imageHeight = 0;
  int left = 0, top = 0, width = 0, height = 0;
};

/// An image's own, reduced to at most `most` pixels (0: as it is). `region`: left, top, width and
/// height in the image's pixels (evaluationRegion()).
SegmentPlace segmentPlace(int imageWidth, int imageHeight, const std::array<double, 4>& region,
                          std::int64_t most);

/// The same of an image that a model sees through `preprocessing`: padding is no part of it.
SegmentPlace placeOfSegments(const Image& image, const Preprocessing& preprocessing,
                             std::int64_t most);

/// What a model saw, and the upper left part of it that is no padding, in pixels.
struct SeenSegments {
  std::int64_t height = 0, width = 0;
  std::int64_t shownHeight = 0, shownWidth = 0;
};
SeenSegments seenSegments(const Image& image, const Preprocessing& preprocessing);

/// The last prediction for one image of the batch: classes as pixelClasses() finds them, in the part
/// of the image that the model's input shows. `names` may be empty. `scores` is defined.
FoundSegments segmentsOf(const SegmentScores& scores, std::int64_t image, const SeenSegments& seen,
                         const SegmentPlace& place, const std::vector<std::string>& names);

/// What the queries of a model say, undefined for one that has none. `maps`, if given, gets the mean
/// of the decoder's heads.
SegmentScores askQueries(Model& model, const at::Tensor& tokens, DecoderMaps* maps);

/// Puts the maps of one image of the batch ([B, 1, Q, T] each) into `found`: those of all queries,
/// or where they would need more than `most` bytes, those of `query` alone (none for −1).
void keepDecoderMaps(const DecoderMaps& maps, std::int64_t image, int query, FoundSegments& found,
                     std::int64_t most = kMostDecoderBytes);

}  // namespace headlight
