// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/FigureContent.h"

#include <algorithm>

#include "ui/base/CoreText.h"
#include "ui/base/Images.h"
#include "ui/bridge/AnalysisBridge.h"
#include "ui/canvas/ViewedDecoder.h"
#include "ui/canvas/ViewedMap.h"
#include "ui/canvas/ViewedMask.h"
#include "ui/canvas/ViewedRollout.h"
#include "ui/canvas/ViewedTiles.h"
#include "ui/document/HeadValues.h"
#include "ui/document/RecordedView.h"

namespace headlight {
namespace {

constexpr int kTilePixels = 8;        ///< a patch's side in a head's tile
constexpr int kMostTilePixels = 512;  ///< a tile's side

/// Enlarged in blocks, so that a viewer that smooths keeps them visible.
QImage blocks(const MapOverlay& map) {
  QImage image = mapImage(map, kTilePixels);
  if (map.smooth || image.isNull()) return image;
  const int scale = std::clamp(1024 / std::max(map.rows, map.cols), 1, kTilePixels);
  return image.scaled(image.size() * scale);
}

/// The region that the model saw, in the original's pixels where they are at hand.
Image seenPixels(const FigureRequest& request) {
  const Image& view = request.inference->view;
  if (request.recorded || request.model.isPrecomputed || request.image.empty()) return view;
  return evaluationPixels(request.image, makePreprocessing(request.model.experiment.model),
                          kMostTilePixels);
}

/// The map, over the image for the spotlight style that covers all of it.
QImage ground(const MapOverlay& map, const FigureRequest& request, const Image& seen, int layer) {
  const Grid grid = gridOfLayer(request.inference->maps, layer, request.model.grid);
  if (!map.isLight() || map.rows != grid.rows || map.cols != grid.cols) return blocks(map);
  return litImage(wrapImage(seen), map, request.view.dim);
}

void setTileGrid(HeadTile& tile, const AttentionMaps& maps, const Grid& model, int layer,
                 int query) {
  const TileCells cells = tileCells(maps, model, query, layer);
  tile.rows = cells.rows;
  tile.cols = cells.cols;
  tile.queryPatch = cells.queryPatch;
}

void gatherHeads(FigureContent& content, const FigureRequest& request) {
  const AttentionMaps& maps = shownMaps(*request.inference, request.view);
  const bool learned = shownLearned(request.inference.get(), request.view);
  const Grid& grid = request.model.grid;
  const auto shared = sharedDrawing(maps, grid, request.view);
  const Image seen = seenPixels(request);
  for (int layer = 0; layer < static_cast<int>(maps.layers.size()); ++layer) {
    std::vector<HeadTile>& row = content.tiles.emplace_back();
    for (int head = -1; head < maps.layers[static_cast<std::size_t>(layer)].heads; ++head) {
      HeadTile& tile = row.emplace_back();
      const auto common =
          commonDrawing(request.recorded.get(), request.view, maps.isSigned, layer, head, shared);
      const auto map = tileMap(maps, grid, request.view, layer, head, common ? &*common : nullptr);
      if (map) tile.map = ground(*map, request, seen, layer);
      tile.uniform = map && isPracticallyUniform(map->values);
      tile.smooth = drawnSmooth(maps, request.view, layer);
      setTileGrid(tile, maps, grid, layer, request.view.query);
      if (learned) continue;  // locality and mask apply to attention
      if (const auto locality = headValue(request.inference->locality, layer, head))
        tile.number = QString::number(*locality, 'f', 2);
      if (request.masks.contains(layer, head)) tile.mask = request.masks.at(layer, head);
    }
  }
}

/// The map over the image, in the region that the model sees.
FigurePanel panelOf(const FigureRequest& request, MapOverlay map) {
  FigurePanel panel;
  panel.map = std::move(map);
  panel.image = request.image;
  panel.region = request.region;
  return panel;
}

void addSentence(QString& note, const QString& sentence) {
  if (!note.isEmpty() && !sentence.isEmpty()) note += QStringLiteral(" · ");
  note += sentence;
}

/// Of the clicked query; nothing where a head's map is shown.
std::optional<MapOverlay> decoderMapIn(const FigureRequest& request) {
  const FoundSegments* found = request.recorded ? nullptr : request.inference->segments.get();
  return decoderOverlay(found, request.view);
}

void gatherCanvas(FigureContent& content, const FigureRequest& request) {
  if (auto decoder = decoderMapIn(request))
    return content.panels.push_back(panelOf(request, std::move(*decoder)));
  const Grid& grid = request.model.grid;
  const AttentionMaps& maps = shownMaps(*request.inference, request.view);
  const auto shared =
      commonDrawing(request.recorded.get(), request.view, maps.isSigned, request.view.layer,
                    request.view.head, sharedDrawing(maps, grid, request.view));
  auto map = viewedMap(maps, grid, request.view, request.view.layer, request.view.head,
                       shared ? &*shared : nullptr);
  if (!map) return;
  FigurePanel panel = panelOf(request, std::move(*map));
  const Grid shown = gridOfLayer(maps, request.view.layer, grid);
  panel.cursor = patchInRegion(panel.region, shown.rows, shown.cols,
                               queryInLayer(request.view.query, grid, shown) - shown.prefix);
  panel.mask = viewedMask(request.model, request.masks, request.inference.get(), request.view);
  addSentence(content.legend.note, coreText(panel.mask.text));
  content.panels.push_back(std::move(panel));
}

Result<std::vector<float>> shownRollout(const FigureRequest& request) {
  if (!request.recorded) return rollout(request.inference->maps, request.view.rollout);
  if (request.recorded->rollout.empty())
    return Error{ErrorCode::InvalidArgument,
                 QObject::tr("the run recorded no rollout of this model").toStdString(), ""};
  return request.recorded->rollout;
}

Result<void> gatherRollout(FigureContent& content, const FigureRequest& request) {
  const auto values = shownRollout(request);
  if (!values) return values.error();
  const Grid& grid = request.inference->maps.layers.front().grid;
  const MapOverlay map = rolloutMap(grid, *values, request.view, request.recorded.get());
  setRolloutRange(content.legend, map, request.model,
                  rolloutSharesSteps(request.recorded.get(), request.view));
  content.panels.push_back(panelOf(request, map));
  return {};
}

}  // namespace

Result<FigureContent> figureContent(const FigureRequest& request) {
  if (!request.inference || request.inference->maps.layers.empty())
    return Error{ErrorCode::InvalidArgument, QObject::tr("there are no maps to draw").toStdString(),
                 ""};
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
        return Error{
            ErrorCode::InvalidArgument,
            QObject::tr(
                "the run recorded only some rows of its maps; comparing layers needs all rows")
                .toStdString(),
            ""};
      auto values = computeSimilarity(request.inference->maps, request.view.head);
      if (!values) return values.error();
      content.similarity = std::move(*values);
      content.layers = static_cast<int>(request.inference->maps.layers.size());
      break;
    }
  }
  return content;
}

}  // namespace headlight
