#include "core/workbench/MapView.h"

#include <vector>

namespace headlight {

ValueRange sharedRange(const AttentionMaps& maps, const Grid& model, int query) {
  std::vector<float> all;
  for (const LayerMaps& layer : maps.layers) {
    const int token = layer.empty() ? -1 : queryInLayer(query, model, layer.grid);
    for (int head = 0; token >= 0 && head < layer.heads; ++head) {
      const std::vector<float> seen = patchesSeenBy(layer, head, token);
      all.insert(all.end(), seen.begin(), seen.end());
    }
  }
  return rangeOf(all, maps.isSigned);
}

bool drawnSmooth(const LayerMaps& maps, bool wanted) {
  return wanted && !maps.windows;
}

ColorMap drawnColors(bool isSigned, ColorMap chosen) {
  return isSigned ? ColorMap::Diverging : chosen;
}

std::string tokenText(int token, const Grid& grid) {
  if (token < grid.prefix) return token == 0 ? "class token" : "distillation token";
  const int patch = token - grid.prefix;
  return "patch (" + std::to_string(patch / grid.cols) + ", " + std::to_string(patch % grid.cols) +
         ")";
}

}  // namespace headlight
