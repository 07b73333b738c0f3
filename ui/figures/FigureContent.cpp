// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/FigureContent.h"

#include <algorithm>

#include "ui/base/Images.h"
#include "ui/bridge/AnalysisBridge.h"
#include "ui/canvas/ViewedMap.h"
#include "ui/canvas/ViewedRollout.h"
#include "ui/canvas/ViewedTiles.h"
#include "ui/document/HeadValues.h"
#include "ui/document/RecordedView.h"

namespace headlight {
namespace {

constexpr int kTilePixels = 8;  ///< a patch's side in a head's tile

/// Blocks stay blocks where a viewer smooths what it enlarges.
QImage blocks(const MapOverlay& map) {
  QImage image = mapImage(map, kTilePixels);
  if (map.smooth || image.isNull()) return image;
  const int scale = std::clamp(1024 / std::max(map.rows, map.cols), 1, kTilePixels);
  return image.scaled(image.size() * scale);
}

/// The map, on the picture where it is one of the headlight's that shows all of it.
QImage ground(const MapOverlay& map, const FigureRequest& request, int layer) {
  const Grid grid = gridOfLayer(request.look->maps, layer, request.model.grid);
  if (!map.isLight() || map.rows != grid.rows || map.cols != grid.cols) return blocks(map);
  return litPicture(wrapImage(request.look->view), map, request.view.dim);
}

void setTileGrid(HeadTile& tile, const AttentionMaps& maps, const Grid& model, int layer,
                 int query) {
  const TileCells cells = tileCells(maps, model, query, layer);
  tile.rows = cells.rows;
  tile.cols = cells.cols;
  tile.queryPatch = cells.queryPatch;
}

void gatherHeads(FigureContent& content, const FigureRequest& request) {
  const AttentionMaps& maps = shownMaps(*request.look, request.view);
  const bool learned = shownLearned(request.look.get(), request.view);
  const Grid& grid = request.model.grid;
  const auto shared = sharedDrawing(maps, grid, request.view);
  for (int layer = 0; layer < static_cast<int>(maps.layers.size()); ++layer) {
    std::vector<HeadTile>& row = content.tiles.emplace_back();
    for (int head = -1; head < maps.layers[static_cast<std::size_t>(layer)].heads; ++head) {
      HeadTile& tile = row.emplace_back();
      const auto map = tileMap(maps, grid, request.view, layer, head, shared ? &*shared : nullptr);
      if (map) tile.map = ground(*map, request, layer);
      tile.smooth = drawnSmooth(maps, request.view, layer);
      setTileGrid(tile, maps, grid, layer, request.view.query);
      if (learned) continue;  // locality and mask are of attention
      if (const auto locality = headValue(request.look->locality, layer, head))
        tile.number = QString::number(*locality, 'f', 2);
      if (request.masks.contains(layer, head)) tile.mask = request.masks.at(layer, head);
    }
  }
}

/// The map over the picture, where the model looked.
FigurePanel panelOf(const FigureRequest& request, MapOverlay map) {
  FigurePanel panel;
  panel.map = std::move(map);
  panel.image = request.image;
  panel.region = request.region;
  return panel;
}

void gatherCanvas(FigureContent& content, const FigureRequest& request) {
  const Grid& grid = request.model.grid;
  const AttentionMaps& maps = shownMaps(*request.look, request.view);
  const auto shared = sharedDrawing(maps, grid, request.view);
  auto map = viewedMap(maps, grid, request.view, request.view.layer, request.view.head,
                       shared ? &*shared : nullptr);
  if (!map) return;
  FigurePanel panel = panelOf(request, std::move(*map));
  const Grid shown = gridOfLayer(maps, request.view.layer, grid);
  panel.cursor = patchInRegion(panel.region, shown.rows, shown.cols,
                               queryInLayer(request.view.query, grid, shown) - shown.prefix);
  content.panels.push_back(std::move(panel));
}

Result<std::vector<float>> rolloutOf(const FigureRequest& request) {
  if (!request.recorded) return rollout(request.look->maps, request.view.rollout);
  if (request.recorded->rollout.empty())
    return Error{ErrorCode::InvalidArgument, "the run recorded no rollout of this model", ""};
  return request.recorded->rollout;
}

Result<void> gatherRollout(FigureContent& content, const FigureRequest& request) {
  const auto values = rolloutOf(request);
  if (!values) return values.error();
  const Grid& grid = request.look->maps.layers.front().grid;
  const MapOverlay map = rolloutMap(grid, *values, request.view);
  setRolloutRange(content.legend, map, request.model);
  content.panels.push_back(panelOf(request, map));
  return {};
}

}  // namespace

Result<FigureContent> figureContent(const FigureRequest& request) {
  if (!request.look || request.look->maps.layers.empty())
    return Error{ErrorCode::InvalidArgument, "there are no maps to draw", ""};
  FigureContent content;
  content.kind = request.kind;
  content.title = request.title;
  content.legend = request.caption;
  content.showLegend = request.legend;
  content.opacity = request.view.showOverlay ? request.view.opacity : 0;
  content.dim = request.view.dim;
  content.chosenLayer = request.view.layer;
  content.chosenHead = request.view.head;
  switch (request.kind) {
    case FigureKind::Canvas:
      gatherCanvas(content, request);
      break;
    case FigureKind::Comparison:
      content.panels = request.sides;
      content.panelColumns = request.sidesInARow > 0 ? request.sidesInARow : request.sides.size();
      break;
    case FigureKind::Heads:
      gatherHeads(content, request);
      break;
    case FigureKind::Rollout:
      if (const auto done = gatherRollout(content, request); !done) return done.error();
      break;
    case FigureKind::Similarity: {
      if (request.averages) {
        const auto& values = request.averages->of(request.view.head);
        content.similarity.assign(values.begin(), values.end());
        content.layers = request.averages->layers;
        break;
      }
      if (request.recorded && !request.recorded->whole)
        return Error{ErrorCode::InvalidArgument,
                     "the run recorded some rows of its maps; layers are compared by all of them",
                     ""};
      auto values = similarityOf(request.look->maps, request.view.head);
      if (!values) return values.error();
      content.similarity = std::move(*values);
      content.layers = static_cast<int>(request.look->maps.layers.size());
      break;
    }
  }
  return content;
}

}  // namespace headlight
