// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/session/MapView.h"

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

DrawnMap drawnMap(const std::vector<float>& values, bool isSigned, MapStyle style,
                  ColorMap colors) {
  const double negative = isSigned ? negativeShare(values) : 0;
  const std::string share = shortNumber(100 * negative) + " % negative";
  if (negative >= kNegativesMatter)
    return {MapStyle::Overlay, ColorMap::Diverging, rangeOf(values, /*aboutZero=*/true), share};
  const std::string note = negative > 0 ? share : "";
  if (style == MapStyle::Overlay) return {style, colors, rangeOf(values), note};
  DrawnMap drawn{style, ColorMap::Grey, rangeOfMost(values, kLitShare), note};
  const double most = rangeOf(values).high;
  if (most > drawn.range.high)
    addTo(drawn.note, "brightest from the 98th percentile on, most " + shortNumber(most));
  return drawn;
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
