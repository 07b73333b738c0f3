// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a segmenter finds: a class for every pixel of an image, the classes that occur, and the
// queries of its decoder that say so. No torch type here.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/imaging/ClassImage.h"
#include "core/masks/Grid.h"
#include "core/workbench/loading/ModelInfo.h"

namespace headlight {

/// A class that is the likeliest one somewhere.
struct SegmentClass {
  int index = 0;
  std::string name;
  double share = 0;        ///< of the pixels that have a class, in (0, 1]
  double probability = 0;  ///< mean over its pixels of its part in the scores of all classes
};

/// What one query of the decoder says.
struct SegmentQuery {
  int index = 0;  ///< its likeliest class, "none" left out
  std::string name;
  float probability = 0;             ///< of that class, in a softmax over all classes and "none"
  std::vector<float> probabilities;  ///< of every class, [K]; sum to 1 − that of "none"
  /// Its mask, [rows, cols] of FoundSegments: 0 … 255 for a probability of 0 … 1.
  std::vector<std::uint8_t> mask;
};

/// Where the queries look in a layer of the decoder: masked cross-attention, the mean of its heads.
struct DecoderLayerMaps {
  Grid grid;                  ///< the cells of the level, no prefix
  std::vector<float> values;  ///< [queries, cells]: of all queries, or of decoderQuery alone
};

/// The maps of all queries are kept up to here, a float a cell.
inline constexpr std::int64_t kMostDecoderBytes = 64 << 20;

struct FoundSegments {
  /// In the proportions of the image; kIgnoredClass where the model saw nothing of it.
  ClassImage image;
  std::vector<SegmentClass> classes;  ///< the largest share first; ties by class
  std::vector<SegmentQuery> queries;  ///< all of the model's, in its order
  int maskRows = 0, maskCols = 0;     ///< of the queries' masks
  /// Left, top, width and height of what the model saw, in [0, 1] of the image; padding reaches
  /// beyond it.
  std::array<double, 4> seen{0, 0, 1, 1};
  int decoderLayers = 0;                       ///< of the model; 0: maps were not asked for
  std::vector<DecoderLayerMaps> decoder = {};  ///< by layer; empty: not asked for, or too large
  int decoderQuery = -1;                       ///< whose maps they are; −1: of all queries
};

/// As many pixels a window shows at most; of a larger image both sides are reduced alike.
inline constexpr std::int64_t kMaxShownSegmentPixels = 1 << 20;

/// Whether a model gives every pixel a class (Task::Segment).
bool segmentsImages(const ModelConfig& model);

/// The class at a place of the image, x and y in [0, 1); kIgnoredClass outside and where nothing
/// was seen.
int classAt(const ClassImage& image, double x, double y);

/// The query that gives the class at a place its score: the greatest product of the class's
/// probability and the mask's (Mask2Former, Cheng et al. 2022, semantic inference). −1: none.
int queryAt(const FoundSegments& found, double x, double y);

/// The map of a query in a layer of the decoder, both from 0: [cells], sums to 1. Empty: not kept.
std::vector<float> decoderMap(const FoundSegments& found, int query, int layer);
/// "query 5 in decoder layer 3 · mean of heads · level of stride 16", for a layer that there is.
std::string decoderMapTitle(const FoundSegments& found, int query, int layer);
/// That the mask of the layer before limits what the query looks at, in a sentence.
std::string decoderMapMeaning(int layer);

/// The classes of an image with their shares, the largest first. `scores`: of each pixel, what
/// SegmentClass::probability is the mean of; `names` may be empty.
std::vector<SegmentClass> segmentClasses(const ClassImage& image, const std::vector<float>& scores,
                                         const std::vector<std::string>& names);

}  // namespace headlight
