// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The joint map of queries and keys (AttentionViz, Yeh et al. 2023): those of one head over many
// images, aligned (KeyAlignment.h) and projected together onto their first two principal
// components. Distances in it stand for q·k, as far as the numbers beside it say. No torch type
// here.

#include <array>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/masks/Grid.h"
#include "core/masks/MaskScheme.h"
#include "core/workbench/evaluation/ImageSource.h"
#include "core/workbench/pairs/QueryKeyOptions.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

struct QueryKeyPoint {
  int image = 0;  ///< in QueryKeyMap::images
  bool isKey = false;
  int token = 0;              ///< on the image's grid of queries or keys
  int row = -1, column = -1;  ///< of a patch; −1: a prefix token
  double x = 0, y = 0;
  double norm = 0;  ///< of the query or key as it is, before the alignment
};

struct QueryKeyImage {
  std::int64_t index = 0;  ///< in the image source
  int label = -1;          ///< the model's class; −1: unknown
  Grid queries, keys;      ///< where the tokens lie; of pooled ones a coarser grid
  Image view;              ///< small, what the model sees
};

/// Spearman's correlation of −distance² over pairs of a query and a key of one image (and, within
/// windows, of one window). NaN: not known.
struct DistanceAgreement {
  double product = 0;  ///< with q·k
  double weight = 0;   ///< with the attention weight, masks and biases included
};

struct QueryKeyMap {
  int layer = 0, head = 0, width = 0;  ///< width: d of a query
  std::vector<QueryKeyImage> images;
  std::vector<QueryKeyPoint> points;  ///< all queries, then all keys, image by image
  std::array<double, 2> shares{};     ///< of the variance, by the two components
  double scale = 1;                   ///< c
  std::vector<double> translation;    ///< t, [width]: added to keys before they are divided by c
  double queryNorm = 0, keyNorm = 0;  ///< mean norms before the alignment
  std::int64_t pairs = 0;             ///< that the agreement is of
  DistanceAgreement space, plane;     ///< in all dimensions, and in the two that are shown
  std::vector<std::string> notes;     ///< what must be said of it; often empty
  SourceCount fed;
};

/// On a copy of the model, under `masks`. Errors: InvalidArgument: a layer or head that there is
/// not, a layer without queries and keys, all points in one place, no images; queries or keys that
/// are not finite; Canceled; a scheme of another shape; no image that can be read.
Result<QueryKeyMap> mapQueryKeys(InferenceSession& session, const ImageSource& feed,
                                 const MaskScheme& masks, const QueryKeyOptions& options,
                                 const ProgressCallback& progress = {}, std::stop_token stop = {});

/// "class token", "patch (4, 7)" of a point.
std::string queryKeyTokenText(const QueryKeyMap& map, const QueryKeyPoint& point);

/// The part of the image's view that a patch covers (left, top, width, height), in its pixels; of a
/// prefix token all of it.
std::array<int, 4> patchInView(const QueryKeyMap& map, const QueryKeyPoint& point);

/// The token of `grid` (the model's) that lies at a point: the patch at its middle, or its prefix
/// token; −1: `grid` has none.
int tokenOnGrid(const QueryKeyMap& map, const QueryKeyPoint& point, const Grid& grid);

}  // namespace headlight
