// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The image that `compare` writes: left, right, and how they differ.

#include <optional>
#include <string>

#include "app/cli/figures/MapImages.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/session/PredictionComparison.h"

namespace headlight::cli {

/// One side of a comparison: an image as a model under its masks saw it, and the row of its maps
/// that is compared.
struct ComparedScene {
  std::string title;  ///< "demo.safetensors, masks sch2, cat.jpg"
  const InferenceResult* inference;
  const ModelInfo* model;
  int layer = 0;
  int head = -1;                        ///< −1: the mean of heads
  int token = 0;                        ///< on the model's grid
  std::optional<Heatmap> heatmap = {};  ///< in place of the row of maps

  const LayerMaps& maps() const;
  /// For what is compared.
  Grid grid() const;
  bool isSigned() const;
  std::string meaning() const;
  /// What the token looks at, or the heatmap, [rows × cols]. Throws Failure where the layer does
  /// not have the token.
  std::vector<float> seen() const;
  /// "layer 3, mean of heads, class token"; of a heatmap its title.
  std::string place() const;
};

/// Both maps on one scale; beside them right − left where `difference` is there.
Image comparisonImage(const ComparedScene& left, const ComparedScene& right,
                      const MapDifference* difference, const ImageStyle& style);

}  // namespace headlight::cli
