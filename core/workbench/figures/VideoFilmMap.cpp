// SPDX-License-Identifier: GPL-3.0-or-later

// VideoFilm.h: what of an inference result is filmed.
#include "core/base/Translation.h"
#include "core/workbench/figures/FilmImages.h"

namespace headlight {
namespace {

FilmedMap filmedRollout(const InferenceResult& inference, const VideoFilmOptions& options) {
  FilmedMap map;
  map.values = valueOrThrow(rollout(inference.maps, options.rollout));
  const Grid& grid = inference.maps.layers.front().grid;
  map.rows = grid.rows;
  map.cols = grid.cols;
  map.subject = "rollout, " + rolloutWords(options.rollout);
  map.place = "all layers";
  return map;
}

int filmedToken(const Grid& grid, int query) {
  if (query >= grid.tokens())
    refuseFilming(
        tr("must be below ") + std::to_string(grid.tokens()) + tr(", the number of tokens"),
        "query");
  if (query >= 0) return query;
  return grid.hasClassToken() ? 0 : grid.middleToken();
}

FilmedMap filmedAttention(const InferenceResult& inference, const ModelInfo& model,
                          const VideoFilmOptions& options) {
  const int layers = static_cast<int>(inference.maps.layers.size());
  const int layer = options.layer < 0 ? layers - 1 : options.layer;
  if (layer >= layers)
    refuseFilming(tr("must be from 0 to ") + std::to_string(layers - 1), "layer");
  const LayerMaps& maps = inference.maps.layers[static_cast<std::size_t>(layer)];
  if (maps.empty() || options.head >= maps.heads)
    refuseFilming("layer " + std::to_string(layer) + tr(" has maps of ") +
                      std::to_string(maps.heads) + tr(" heads, counted from 0"),
                  "head");
  const int query = filmedToken(model.grid, options.query);
  const int token = queryInLayer(query, model.grid, maps.grid);
  if (token < 0)
    refuseFilming("layer " + std::to_string(layer) + tr(" does not have the ") +
                      tokenText(query, model.grid) + tr(", which joins at a later layer"),
                  "query");
  FilmedMap map;
  map.values =
      options.head < 0 ? patchesSeenBy(maps, token) : patchesSeenBy(maps, options.head, token);
  map.rows = maps.grid.rows;
  map.cols = maps.grid.cols;
  map.smooth = drawnSmooth(maps, true);
  map.isSigned = inference.maps.isSigned;
  map.subject = std::string("attention of the ") + tokenText(query, model.grid);
  map.place = "layer " + std::to_string(layer) +
              (options.head < 0 ? ", mean of heads" : ", head " + std::to_string(options.head));
  return map;
}

}  // namespace

Result<FilmedMap> filmedMap(const InferenceResult& inference, const ModelInfo& model,
                            const VideoFilmOptions& options) {
  return guarded("film", [&] {
    return options.showRollout ? filmedRollout(inference, options)
                               : filmedAttention(inference, model, options);
  });
}

}  // namespace headlight
