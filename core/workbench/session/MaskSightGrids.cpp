// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/session/MaskSightGrids.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/attention/softmax/LightSelfLimited.h"
#include "core/attention/softmax/WindowAttention.h"
#include "core/masks/MaskRegions.h"
#include "core/masks/Neighborhood.h"
#include "core/models/backbones/MViT.h"

namespace headlight {
namespace {

using Row = std::vector<std::uint8_t>;

int layerInStage(const ModelConfig& model, int layer) {
  for (int stage = 0; stage < model.stages(); ++stage) {
    if (layer < model.stageDepth(stage)) return layer;
    layer -= model.stageDepth(stage);
  }
  return layer;
}

Grid withoutPrefix(Grid grid) {
  grid.prefix = grid.registers = 0;
  return grid;
}

/// Where a decay leaves at least half of a weight: nothing is wholly outside.
Row decayRow(const HeadMask& mask, const Grid& queries, const Grid& keys, int patch) {
  Row row;
  for (const int distance : manhattanDistances(queries, keys, patch))
    row.push_back(std::pow(mask.gamma, distance) >= 0.5);
  return row;
}

/// What the mask lets a patch of `queries` see, [rows × cols] of `keys`.
Row maskRow(const MaskedPatch& at, const HeadMask& mask, const Grid& queries, const Grid& keys,
            int patch) {
  const int token = queries.prefix + patch;
  if (mask.kind == MaskKind::Decay) return decayRow(mask, queries, keys, patch);
  valueOrThrow(checkRegion(mask, queries, keys));
  const Row row =
      selectedRow(mask, queries, keys, randomMaskSeed(mask.seed, at.layer, at.head), token);
  return {row.begin() + keys.prefix, row.end()};
}

/// Where keys were pooled, else the layer's own.
Grid keyGrid(const MaskedPatch& at) {
  if (at.model.backbone == "mvitv2") return MViT::keyGrid(at.model, at.layer);
  const bool pooled = at.model.backbone == "levit" && at.model.layout.value("token_pooling", false);
  return pooled ? at.grid.strided(2) : at.grid;
}

/// The first and the last cell of `keys` that overlap cell `index` of `cells`, along one axis.
std::pair<int, int> overlapped(int index, int cells, int keys) {
  return {index * keys / cells, ((index + 1) * keys + cells - 1) / cells - 1};
}

/// Over the layer's patches: inside where a key that covers a part of the patch is.
Row overPatches(const Row& row, const Grid& keys, const Grid& grid) {
  if (keys.rows == grid.rows && keys.cols == grid.cols) return row;
  Row inside;
  for (int patch = 0; patch < grid.patches(); ++patch) {
    const auto [top, bottom] = overlapped(patch / grid.cols, grid.rows, keys.rows);
    const auto [left, right] = overlapped(patch % grid.cols, grid.cols, keys.cols);
    bool any = false;
    for (int r = top; r <= bottom; ++r)
      for (int c = left; c <= right; ++c)
        any = any || row[static_cast<std::size_t>(r) * keys.cols + c] != 0;
    inside.push_back(any);
  }
  return inside;
}

bool isAll(const Row& row) {
  return std::all_of(row.begin(), row.end(), [](std::uint8_t one) { return one != 0; });
}

PatchesInside insideGrid(const MaskedPatch& at, const HeadMask& mask) {
  const Grid keys = keyGrid(at);
  const Row row = maskRow(at, mask, at.grid, keys, at.patch);
  return {overPatches(row, keys, at.grid), isAll(row)};
}

PatchesInside insideWindow(const MaskedPatch& at, const HeadMask& mask, const WindowShape& shape) {
  Windows windows(shape);
  const at::Tensor places = windows.places(), sight = windows.patchesInSight();
  const int place = static_cast<int>(places[at.patch].item<std::int64_t>());
  const at::Tensor seen = sight[at.patch].contiguous();
  const Row row = maskRow(at, mask, shape.window, shape.window, place);
  PatchesInside result{Row(static_cast<std::size_t>(at.grid.patches()), 0), true};
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::int64_t patch = seen.data_ptr<std::int64_t>()[i];
    if (patch >= 0) result.inside[static_cast<std::size_t>(patch)] = row[i];
    result.all = result.all && (patch < 0 || row[i] != 0);
  }
  return result;
}

PatchesInside insideLayer(const MaskedPatch& at, const HeadMask& mask) {
  AttentionOptions options;
  options.layer = at.layer;
  options.layerInStage = layerInStage(at.model, at.layer);
  options.grid = withoutPrefix(at.grid);
  options.options = at.model.attention;
  if (at.model.mechanism == "window")
    return insideWindow(at, mask, WindowAttention::shape(options));
  if (at.model.mechanism == "lsla")
    return insideWindow(at, mask, LightSelfLimitedAttention::shape(options));
  return insideGrid(at, mask);
}

}  // namespace

PatchesInside patchesInside(const MaskedPatch& at, const HeadMask& mask) {
  PatchesInside result = insideLayer(at, inPatches(mask, at.model.pixelsPerPatch(at.layer)));
  // However near, every other patch loses a part.
  if (mask.kind == MaskKind::Decay) result.all = mask.gamma == 1;
  return result;
}

}  // namespace headlight
