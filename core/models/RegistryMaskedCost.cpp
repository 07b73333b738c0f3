// SPDX-License-Identifier: GPL-3.0-or-later

// Registry.h: what a model costs under masks: local heads counted in linear time.

#include <algorithm>

#include "core/base/Result.h"
#include "core/base/Translation.h"
#include "core/masks/MaskRegions.h"
#include "core/models/Registry.h"

namespace headlight {
namespace {

/// The sum over all places of a line of how many others a window reaches, itself included.
std::int64_t reached(int length, int window) {
  const int reach = (window - 1) / 2;
  std::int64_t sum = 0;
  for (int i = 0; i < length; ++i)
    sum += std::min(length - 1, i + reach) - std::max(0, i - reach) + 1;
  return sum;
}

/// Ones of the neighborhood mask M: those of the patches, and the prefix rows and columns.
std::int64_t selectedPairs(const Grid& grid, int window) {
  const std::int64_t tokens = grid.tokens(), prefix = grid.prefix;
  return reached(grid.rows, window) * reached(grid.cols, window) + 2 * prefix * tokens -
         prefix * prefix;
}

/// The same of any mask, row by row where no formula says it.
std::int64_t selectedPairs(const Grid& grid, const HeadMask& mask) {
  if (mask.region.isPlain()) return selectedPairs(grid, mask.window);
  valueOrThrow(checkRegion(mask, grid, grid));
  std::int64_t pairs = std::int64_t{grid.prefix} * grid.tokens();
  for (int token = grid.prefix; token < grid.tokens(); ++token)
    for (const std::uint8_t one : selectedRow(mask, grid, grid, 0, token))
      pairs += one;
  return pairs;
}

bool isLocal(const HeadMask& mask) {
  return mask.kind == MaskKind::Hard || mask.kind == MaskKind::Strict ||
         mask.kind == MaskKind::Random;
}

}  // namespace

ModelCost modelCost(const ModelConfig& config, const MaskScheme& scheme) {
  ModelCost cost = modelCost(config);
  if (scheme.shape().heads != makeMaskShape(config).heads)
    throw Failure({ErrorCode::InvalidConfig, tr("the mask scheme is for another model"), "masks"});
  for (LayerCost& entry : cost.layers) {
    if (entry.headWidth == 0) continue;
    for (const HeadMask& given : scheme.layer(entry.layer)) {
      if (!isLocal(given)) continue;
      const HeadMask mask = inPatches(given, config.pixelsPerPatch(entry.layer));
      const std::int64_t tokens = entry.grid.tokens();
      const std::int64_t saved =
          2 * entry.headWidth * (tokens * tokens - selectedPairs(entry.grid, mask));
      entry.macs -= saved;
      cost.macs -= saved;
    }
  }
  return cost;
}

ModelCost modelCost(const ModelConfig& config, const MaskConfig& masks) {
  return modelCost(config, valueOrThrow(resolveMasks(masks, makeMaskShape(config))));
}

ModelCost publishedCost(const PublishedModel& model) {
  if (!model.maskedMacs) return modelCost(model.config);
  return modelCost(model.config,
                   valueOrThrow(makeMaskPreset(model.scheme, makeMaskShape(model.config))));
}

}  // namespace headlight
