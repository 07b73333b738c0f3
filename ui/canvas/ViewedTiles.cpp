// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/ViewedTiles.h"

namespace headlight {
namespace {

/// All of the layer where `query` is not among its tokens.
PatchArea areaOfTile(const LayerMaps& maps, const Grid& model, int query) {
  const int token = queryInLayer(query, model, maps.grid);
  return token < 0 ? PatchArea{0, 0, maps.grid.rows, maps.grid.cols} : areaInSight(maps, token);
}

}  // namespace

std::optional<MapOverlay> tileMap(const AttentionMaps& maps, const Grid& model,
                                  const ViewOptions& view, int layer, int head,
                                  const DrawnMap* shared) {
  auto map = viewedMap(maps, model, view, layer, head, shared);
  if (!map) return map;
  const LayerMaps& of = maps.layers[static_cast<std::size_t>(layer)];
  const PatchArea area = areaOfTile(of, model, view.query);
  map->values = valuesIn(area, map->values, of.grid);
  map->rows = area.rows;
  map->cols = area.cols;
  return map;
}

TileCells tileCells(const AttentionMaps& maps, const Grid& model, int query, int layer) {
  const Grid grid = gridOfLayer(maps, layer, model);
  PatchArea area{0, 0, grid.rows, grid.cols};
  if (layer < static_cast<int>(maps.layers.size()) && !maps.layers[layer].empty())
    area = areaOfTile(maps.layers[layer], model, query);
  const int patch = queryInLayer(query, model, grid) - grid.prefix;
  if (patch < 0) return {area.rows, area.cols, -1};
  return {area.rows, area.cols,
          (patch / grid.cols - area.row) * area.cols + patch % grid.cols - area.col};
}

}  // namespace headlight
