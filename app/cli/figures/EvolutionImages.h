// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The images that `evolution` draws: heads of a run over its steps, as a strip and as the frames
// of a film. Each says what it shows, as those of `attend` do.

#include <string>
#include <vector>

#include "app/cli/figures/MapImages.h"
#include "core/workbench/runs/RecordedEvolution.h"

namespace headlight::cli {

/// One head, or one map that has none, over the chosen steps.
struct EvolvingMap {
  int layer = -1, head = -1;  ///< −1: of all
  int rows = 0, cols = 0;
  bool smooth = true;  ///< may be blended between patches
  /// [moment] of [rows × cols]; empty where that step has none.
  std::vector<std::vector<float>> values;
};

/// What is drawn.
struct EvolutionScene {
  std::string subject;  ///< "attention of the class token"
  std::string image;    ///< its name
  std::string meaning;  ///< of the maps
  bool isSigned = false;
  bool plain = false;  ///< of no image: on gray
  Image view;          ///< what the model saw
  std::vector<EvolutionMoment> moments;
  std::size_t imageNumber = 0;
  std::vector<EvolvingMap> maps;
};

struct EvolutionStyle {
  ImageStyle image;
  bool ownScale = false;  ///< each map on a scale of its own, instead of one a head for all steps
};

/// How each map is drawn where all steps share its scale.
std::vector<DrawnMap> commonScales(const EvolutionScene& scene, const EvolutionStyle& style);
/// A row a map, a column a step. `scales`: of commonScales().
Image evolutionStrip(const EvolutionScene& scene, const EvolutionStyle& style,
                     const std::vector<DrawnMap>& scales);
/// All maps at one of the steps; frames of a film are of one size but for their texts.
Image evolutionFrame(const EvolutionScene& scene, std::size_t moment, const EvolutionStyle& style,
                     const std::vector<DrawnMap>& scales);
/// "goldfinch 91.3 %"; empty where nothing was predicted.
std::string likeliestText(const EvolutionMoment& moment, std::size_t image);

}  // namespace headlight::cli
