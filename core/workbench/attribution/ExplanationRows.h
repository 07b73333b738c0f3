// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The methods behind Explanations.h. A method is one row with its functions, in a .cpp of its own
// (ExplanationRowsNAME.cpp), and its name in the table at the end of this file. Torch types: core
// only.

#include <ATen/core/Tensor.h>

#include <array>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/workbench/attribution/ClassGradient.h"
#include "core/workbench/attribution/Explanations.h"

namespace headlight {

/// One image that has gone through the model, and what is asked about it.
struct ExplainedPass {
  Model& model;  ///< under the masks that were asked for
  const ModelInfo& info;
  const at::Tensor& image;     ///< [1, 3, H, W], normalized, where the model is
  const CapturedPass& pass;    ///< what entered each block
  int classIndex = -1;         ///< −1: the method is not of a class
  int layer = -1;              ///< −1: the method is not of one layer
  std::function<void()> step;  ///< called after every block; throws to stop
  int cell = -1;               ///< ExplanationOptions::cell
  ObjectOptions objects = {};  ///< ExplanationOptions::objects
};

struct PatchHeatmap {
  std::vector<float> values;  ///< [rows × cols]
  Grid grid;
  std::string note = {};             ///< what must be said of it; often empty
  std::optional<BoxSides> box = {};  ///< Heatmap::box
};

struct ExplanationRow {
  ExplanationInfo info;

  // The function of its kind; the others stay null. All may throw Failure.

  /// A heatmap. `step` is called as often as there are blocks from the last to `layer` (to the
  /// first without a layer), where the method is of a class; otherwise never.
  PatchHeatmap (*heatmap)(const ExplainedPass&) = nullptr;
  /// A heatmap that is `ofToken`, from features alone: fast enough to follow the pointer.
  PatchHeatmap (*tokenHeatmap)(const TokenFeatures&, int token) = nullptr;
  /// Colors of several images, never none, whose features are of one layer and width.
  FeatureColors (*colors)(const std::vector<TokenFeatures>&, bool foreground,
                          const std::stop_token&) = nullptr;
  /// Curves; the `topClasses` best classes by name.
  DepthPrediction (*curve)(const ExplainedPass&, int topClasses) = nullptr;

  /// Null: the method's title, with layer and class.
  std::string (*title)(const Heatmap&) = nullptr;
};

/// Throws Failure for a name that explanationFromName() does not know.
const ExplanationRow& explanationRow(const std::string& name);

// The table, in the order in which programs list the methods; the first is the default. A method
// takes a line in each of the two lists.

ExplanationRow relevanceRow();
ExplanationRow attentionGradientRow();
ExplanationRow gradCamRow();
ExplanationRow inputGradientRow();
ExplanationRow integratedGradientsRow();
ExplanationRow similarityRow();
ExplanationRow dinoMaskRow();
ExplanationRow lostRow();
ExplanationRow tokenCutRow();
ExplanationRow featurePcaRow();
ExplanationRow logitLensRow();

inline constexpr std::array kExplanationRows{
    relevanceRow,  attentionGradientRow, gradCamRow, inputGradientRow, integratedGradientsRow,
    similarityRow, dinoMaskRow,          lostRow,    tokenCutRow,      featurePcaRow,
    logitLensRow,
};

}  // namespace headlight
