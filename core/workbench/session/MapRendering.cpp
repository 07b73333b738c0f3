// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/session/MapRendering.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/Text.h"

namespace headlight {
namespace {

std::string shortNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace

std::vector<float> seenInAllHeads(const AttentionMaps& maps, const Grid& model, int query) {
  std::vector<float> all;
  for (const LayerMaps& layer : maps.layers) {
    const int token = layer.empty() ? -1 : queryInLayer(query, model, layer.grid);
    for (int head = 0; token >= 0 && head < layer.heads; ++head) {
      const std::vector<float> seen = patchesSeenBy(layer, head, token);
      all.insert(all.end(), seen.begin(), seen.end());
    }
  }
  return all;
}

MapStyle styleOf(MapStyle wanted, bool learned) {
  return learned ? MapStyle::Overlay : wanted;
}

bool isPracticallyUniform(const std::vector<float>& values) {
  const auto finite =
      std::count_if(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
  if (finite < 2) return false;
  const ValueRange range = valueRange(values);
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  return range.high - range.low <= kUniformTolerance * largest;
}

std::string uniformText() {
  return "practically uniform (values within " + shortNumber(100 * kUniformTolerance) + " %)";
}

ValueSummary summarize(const std::vector<float>& values, bool lit) {
  const ValueRange whole = valueRange(values);
  return {whole, lit ? rangeOfMost(values, kLitShare) : whole, negativeShare(values),
          isPracticallyUniform(values)};
}

DrawnMap drawnFrom(const ValueSummary& summary, bool isSigned, MapStyle style, ColorMap colors) {
  const auto& [low, high] = summary.whole;
  const double negative = isSigned ? summary.negative : 0;
  std::string note = negative > 0 ? shortNumber(100 * negative) + " % negative" : "";
  if (summary.uniform) addTo(note, uniformText());
  if (negative >= kNegativesMatter) {
    const double reach = std::max(std::abs(low), std::abs(high));
    return {MapStyle::Overlay, ColorMap::Diverging, {-reach, reach}, note};
  }
  const ColorMap shown = style == MapStyle::Overlay ? colors : ColorMap::Gray;
  if (summary.uniform)
    return {style, shown, {std::min(0.0, low + high), std::max(0.0, low + high)}, note};
  if (style == MapStyle::Overlay) return {style, shown, summary.whole, note};
  if (high > summary.most.high)
    addTo(note, "brightest from the 98th percentile on, maximum " + shortNumber(high));
  return {style, shown, summary.most, note};
}

DrawnMap drawnMap(const std::vector<float>& values, bool isSigned, MapStyle style,
                  ColorMap colors) {
  return drawnFrom(summarize(values, style != MapStyle::Overlay), isSigned, style, colors);
}

DrawnMap drawnOn(DrawnMap shared, const std::vector<float>& values) {
  const bool said = shared.note.find(uniformText()) != std::string::npos;
  if (!said && isPracticallyUniform(values)) addTo(shared.note, uniformText());
  return shared;
}

bool drawnSmooth(const LayerMaps& maps, bool wanted) {
  return wanted && !maps.windows;
}

std::string tokenText(int token, const Grid& grid) {
  const int firstRegister = grid.prefix - grid.registers;
  if (token < firstRegister) return token == 0 ? "class token" : "distillation token";
  if (token < grid.prefix) return "register " + std::to_string(token - firstRegister + 1);
  const int patch = token - grid.prefix;
  return "patch (" + std::to_string(patch / grid.cols) + ", " + std::to_string(patch % grid.cols) +
         ")";
}

}  // namespace headlight
