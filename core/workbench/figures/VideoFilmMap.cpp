// SPDX-License-Identifier: GPL-3.0-or-later

// VideoFilm.h: what of a look is filmed.
#include "core/workbench/figures/FilmPictures.h"

namespace headlight {
namespace {

FilmedMap filmedRollout(const InferenceResult& look, const VideoFilmOptions& options) {
  FilmedMap map;
  map.values = valueOrThrow(rollout(look.maps, options.rollout));
  const Grid& grid = look.maps.layers.front().grid;
  map.rows = grid.rows;
  map.cols = grid.cols;
  map.subject = "rollout, " + rolloutWords(options.rollout);
  map.place = "all layers";
  return map;
}

int filmedToken(const Grid& grid, int query) {
  if (query >= grid.tokens())
    refuseFilming("must be below " + std::to_string(grid.tokens()) + ", the number of tokens",
                  "query");
  if (query >= 0) return query;
  return grid.hasClassToken() ? 0 : grid.prefix + grid.rows / 2 * grid.cols + grid.cols / 2;
}

FilmedMap filmedAttention(const InferenceResult& look, const ModelInfo& model,
                          const VideoFilmOptions& options) {
  const int layers = static_cast<int>(look.maps.layers.size());
  const int layer = options.layer < 0 ? layers - 1 : options.layer;
  if (layer >= layers) refuseFilming("must be from 0 to " + std::to_string(layers - 1), "layer");
  const LayerMaps& maps = look.maps.layers[static_cast<std::size_t>(layer)];
  if (maps.empty() || options.head >= maps.heads)
    refuseFilming("layer " + std::to_string(layer) + " has maps of " + std::to_string(maps.heads) +
                      " heads, counted from 0",
                  "head");
  const int query = filmedToken(model.grid, options.query);
  const int token = queryInLayer(query, model.grid, maps.grid);
  if (token < 0)
    refuseFilming("layer " + std::to_string(layer) + " does not have the " +
                      tokenText(query, model.grid) + ", which joins later",
                  "query");
  FilmedMap map;
  map.values =
      options.head < 0 ? patchesSeenBy(maps, token) : patchesSeenBy(maps, options.head, token);
  map.rows = maps.grid.rows;
  map.cols = maps.grid.cols;
  map.smooth = drawnSmooth(maps, true);
  map.isSigned = look.maps.isSigned;
  map.subject = std::string("attention of the ") + tokenText(query, model.grid);
  map.place = "layer " + std::to_string(layer) +
              (options.head < 0 ? ", mean of heads" : ", head " + std::to_string(options.head));
  return map;
}

}  // namespace

Result<FilmedMap> filmedMap(const InferenceResult& look, const ModelInfo& model,
                            const VideoFilmOptions& options) {
  return guarded("film", [&] {
    return options.showRollout ? filmedRollout(look, options)
                               : filmedAttention(look, model, options);
  });
}

}  // namespace headlight
