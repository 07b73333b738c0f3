// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How the explanations are drawn that are no heatmap: the same in the window, in figures
// and in what commands write.

#include <string>
#include <vector>

#include "core/imaging/drawing/CurvePlot.h"
#include "core/workbench/attribution/Explanations.h"

namespace headlight {

/// Colors of patches as an image of `width` × `height`; the background is a dark gray. `smooth`:
/// bicubic between patches; else blocks.
Image featuresImage(const FeatureColors::Projection& image, int width, int height, bool smooth);

/// An image of what the model saw with the box of a marked object. `em` as drawBoxes().
Image withObjectBox(const Image& view, const BoxSides& box, int em = 0);

/// "red 41 %, green 22 %, blue 9 % of the variance".
std::string varianceText(const FeatureColors& colors);

/// The classes that are best after the last layer, at most `count`, and `classIndex` if there is
/// one: their probabilities by layer. Empty where the head fits no layer.
std::vector<PlottedCurve> depthCurves(const DepthPrediction& depth, const ModelInfo& info,
                                      int classIndex = -1, std::size_t count = 5);
/// The classes of depthCurves(), best first, `classIndex` last.
std::vector<int> depthClasses(const DepthPrediction& depth, int classIndex = -1,
                              std::size_t count = 5);
/// For these classes.
std::vector<PlottedCurve> depthCurves(const DepthPrediction& depth, const ModelInfo& info,
                                      const std::vector<int>& classes);
/// The same as a drawing.
Drawing depthPlot(const DepthPrediction& depth, const ModelInfo& info, int classIndex = -1);

/// What a class is called: its name, or "class 12".
std::string findClassName(const ModelInfo& info, int classIndex);

}  // namespace headlight
