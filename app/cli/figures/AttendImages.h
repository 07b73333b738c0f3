// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The images that `attend` writes. Each says what it shows: image, token, layer, head, scale, and
// what a map is where the mechanism has no softmax matrix.

#include <optional>
#include <string>
#include <vector>

#include "app/cli/figures/MapImages.h"
#include "core/workbench/session/Images.h"
#include "core/workbench/session/InferenceSession.h"
#include "core/workbench/session/MapRendering.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight::cli {

/// The token that looks.
struct Query {
  int token = 0;
  std::string text;  ///< "class token", "patch (2, 1)" by row and column
};

/// "class", "distillation", a patch index ("17") or "row,column"; empty: the class token, or the
/// middle patch where there is none. Throws Failure naming --query.
Query queryFromText(const std::string& text, const Grid& grid);
Query middlePatch(const Grid& grid);

/// One image and how it was looked at.
struct Scene {
  const std::string& name;  ///< of the image, for titles
  const InferenceResult& inference;
  const MaskScheme& masks;
  const ModelInfo& model;               ///< on whose grid queries are counted
  const LearnedMap* learned = nullptr;  ///< shown in place of attention

  const AttentionMaps& maps() const { return learned ? learned->maps : inference.maps; }
};

/// The learned map of this name; null for "attention". Throws Failure naming --show that lists
/// `maps` for another name, and `others` that it may be.
const LearnedMap* learnedFromName(const std::string& name, const std::vector<LearnedMap>& maps,
                                  const std::vector<std::string>& others = {});
/// Its values at the query: `NAME.L` [heads, rows, cols] of every layer that has them, NaN where
/// the query sees no patch.
std::vector<RawArray> learnedArrays(const LearnedMap& map, const Query& query, const Grid& grid);

/// Every layer (rows) and head (columns).
Image gridImage(const Scene& scene, const Query& query, const ImageStyle& style);
/// Nothing where the layer does not have the token, which joins later.
std::optional<Image> headImage(const Scene& scene, int layer, int head, const Query& query,
                               const ImageStyle& style);
/// `values`: what rollout() gave, for the grid of the first layer.
Image rolloutImage(const Scene& scene, const std::vector<float>& values,
                   const std::string& description, const ImageStyle& style);

}  // namespace headlight::cli
