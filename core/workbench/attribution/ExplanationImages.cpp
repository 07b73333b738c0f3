// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/attribution/ExplanationImages.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/Text.h"
#include "core/workbench/objects/ObjectDrawing.h"
#include "core/workbench/session/Images.h"

namespace headlight {
namespace {

constexpr float kBackground = 0.16f;
constexpr int kRgb = 3;

}  // namespace

Image featuresImage(const FeatureColors::Projection& image, int width, int height, bool smooth) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  for (const float color : image.colors)
    pixels->push_back(static_cast<std::uint8_t>(
        std::lround(255 * (std::isnan(color) ? kBackground : std::clamp(color, 0.0f, 1.0f)))));
  const Image small{image.grid.cols, image.grid.rows, pixels};
  return resize(small, width, height, smooth ? Interpolation::Bicubic : Interpolation::Nearest);
}

Image withObjectBox(const Image& view, const BoxSides& box, int em) {
  return drawBoxes(view, {objectOutline(box, view.width, view.height)}, em);
}

std::string varianceText(const FeatureColors& colors) {
  constexpr const char* kChannels[kRgb] = {"red", "green", "blue"};
  std::string text;
  for (std::size_t c = 0; c < std::min<std::size_t>(colors.shares.size(), kRgb); ++c) {
    char part[32];
    std::snprintf(part, sizeof part, "%s %.0f %%", kChannels[c], 100 * colors.shares[c]);
    addTo(text, part);
  }
  return text + " of the variance";
}

std::string findClassName(const ModelInfo& info, int classIndex) {
  const auto index = static_cast<std::size_t>(classIndex);
  return index < info.classNames.size() ? info.classNames[index]
                                        : "class " + std::to_string(classIndex);
}

std::vector<int> depthClasses(const DepthPrediction& depth, int classIndex, std::size_t count) {
  std::vector<int> classes;
  if (!depth.top.empty())
    for (const ClassScore& score : depth.top.back())
      if (classes.size() < count) classes.push_back(score.index);
  if (classIndex >= 0 && std::find(classes.begin(), classes.end(), classIndex) == classes.end())
    classes.push_back(classIndex);
  return classes;
}

std::vector<PlottedCurve> depthCurves(const DepthPrediction& depth, const ModelInfo& info,
                                      int classIndex, std::size_t count) {
  return depthCurves(depth, info, depthClasses(depth, classIndex, count));
}

std::vector<PlottedCurve> depthCurves(const DepthPrediction& depth, const ModelInfo& info,
                                      const std::vector<int>& classes) {
  std::vector<PlottedCurve> curves;
  for (const int index : classes) {
    PlottedCurve& curve = curves.emplace_back();
    curve.name = findClassName(info, index);
    const std::vector<double> values = depth.ofClass(index);
    for (std::size_t l = 0; l < values.size(); ++l)
      if (!std::isnan(values[l])) {
        curve.keys.push_back(static_cast<double>(l));
        curve.values.push_back(values[l]);
      }
  }
  return curves;
}

Drawing depthPlot(const DepthPrediction& depth, const ModelInfo& info, int classIndex) {
  return drawCurves(depthCurves(depth, info, classIndex),
                    {.quantity = "probability", .axis = "after layer", .points = true});
}

}  // namespace headlight
