// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How maps are shown, as a value: layer, head and token, style and colors.

#include <string>

#include "core/workbench/objects/ObjectOptions.h"
#include "core/workbench/session/MapRendering.h"
#include "core/workbench/session/Objects.h"

namespace headlight {

/// The explanation that is computed besides attention (core/workbench/attribution/Explanations.h).
struct ExplanationChoice {
  std::string name = "relevance";
  int classIndex = -1;         ///< −1: the predicted one
  int layer = -1;              ///< −1: the last
  bool foreground = false;     ///< of feature colors
  int cell = -1;               ///< of a detector's box that was chosen (ChosenCell.h); −1: none
  ObjectOptions objects = {};  ///< of methods that mark an object; method and layer are not used
  bool operator==(const ExplanationChoice&) const = default;
};

struct ViewOptions {
  int layer = 0;
  int head = -1;  ///< −1: the mean over heads
  int query = 0;  ///< token index; prefix tokens first
  MapStyle style = MapStyle::Headlight;
  double dim = 0.85;     ///< how much light and color the dark of the headlight keeps back
  double opacity = 0.6;  ///< of an overlay
  ColorMap colorMap = ColorMap::Viridis;
  bool smooth = true;
  bool sharedRange = false;  ///< one color range for all heads shown, else one per head
  bool stepScale = true;     ///< a recorded step shares its scale with all steps, else its own
  bool showOverlay = true;
  bool maskOutline = true;  ///< what the shown head's mask lets the token look at is outlined
  bool objectBoxes = true;  ///< what a detector or a segmenter found is drawn
  double objectThreshold = kDefaultObjectThreshold;  ///< boxes that score less are left out
  bool trueBoxes = true;                             ///< and what the image's dataset says
  double segmentOpacity = 0.5;                       ///< of a segmenter's colors over the image
  int segmentQuery = -1;  ///< of a segmenter, whose mask is outlined; −1: none was clicked
  /// Of a segmenter's decoder: its layer whose map of that query is shown in place of a head's map;
  /// −1: the head's.
  int decoderLayer = -1;
  bool paintsOnClick =
      false;  ///< in the mask matrix; else a click shows the head and a drag paints
  RolloutOptions rollout;
  /// Name of the learned map shown in place of attention, where the model has it; empty: attention.
  std::string learned;
  ExplanationChoice method;
  bool operator==(const ViewOptions&) const;
};

/// What "stronger" means in the style that is shown: `dim` of the headlight, else `opacity`.
double& overlayStrength(ViewOptions& view);

}  // namespace headlight
