#include "core/workbench/VideoFilm.h"

#include <algorithm>
#include <cstdio>

#include "core/workbench/Pictures.h"

namespace headlight {
namespace {

constexpr int kLeastFilmWidth = 32, kMostFilmWidth = 4000;

[[noreturn]] void refuseFilming(const std::string& message, const std::string& where) {
  throw Failure({ErrorCode::InvalidArgument, message, where});
}

void requireOptions(const VideoFilmOptions& options) {
  if (options.every < 1) refuseFilming("must be at least 1: every so many frames", "every");
  if (options.from < 0) refuseFilming("is counted from 0", "from");
  if (options.to >= 0 && options.to < options.from) refuseFilming("is before from", "to");
  if (options.width < kLeastFilmWidth || options.width > kMostFilmWidth)
    refuseFilming("must be from 32 to 4000 pixels", "width");
}

FilmedMap filmedRollout(const Look& look, const VideoFilmOptions& options) {
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

FilmedMap filmedAttention(const Look& look, const ModelInfo& model,
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

Image litView(const Look& look, const FilmedMap& map, const DrawnMap& drawn,
              const VideoFilmOptions& options) {
  const int height = std::max(1, options.width * look.view.height / std::max(1, look.view.width));
  const Image ground = resize(look.view, options.width, height, Interpolation::Bicubic);
  const bool smooth = options.smooth && map.smooth;
  if (drawn.style == MapStyle::Overlay)
    return overlay(ground, map.values, map.rows, map.cols, drawn.range, drawn.colorMap,
                   options.opacity, smooth);
  return headlightPicture(ground, map.values, map.rows, map.cols, drawn.range,
                          {drawn.style == MapStyle::Warm, options.dim}, smooth);
}

/// What changes from frame to frame stands in lines that are never broken, or is always as long,
/// so that every frame is of one size.
Image filmedPicture(const std::string& name, const VideoFrame& frame, const Look& look,
                    const ModelInfo& model, const VideoFilmOptions& options) {
  const FilmedMap map = valueOrThrow(filmedMap(look, model, options));
  const DrawnMap drawn = drawnMap(map.values, map.isSigned, options.style, options.colorMap);
  FigureGrid figure;
  char text[96];
  figure.title = name;
  if (!look.top.empty()) {
    std::snprintf(text, sizeof text, " %.1f %%", 100 * look.top.front().probability);
    figure.title = look.top.front().name + text;
  }
  std::snprintf(text, sizeof text, "%.1e to %.1e", drawn.range.low, drawn.range.high);
  figure.footnote = name + ": " + map.subject + ", " + text + ", each frame on a scale of its own";
  if (drawn.style != MapStyle::Overlay) figure.footnote += " that ends at the 98th percentile";
  if (look.masks.maskedHeads() > 0) figure.footnote.append("; masks: ").append(look.masks.name());
  if (!look.maps.meaning.empty()) figure.footnote.append(". ").append(look.maps.meaning);
  std::snprintf(text, sizeof text, "frame %lld, %.2f s; ", static_cast<long long>(frame.index),
                frame.seconds);
  figure.tiles.push_back({litView(look, map, drawn, options), text + map.place});
  return composeFigure(figure);
}

/// As CSV has it (RFC 4180).
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text)
    result.append(c == '"' ? 2 : 1, c);
  return result + '"';
}

}  // namespace

std::int64_t chosenFrames(const VideoInfo& video, const VideoFilmOptions& options) {
  if (video.frames == 0 && options.to < 0) return 0;
  std::int64_t last = video.frames > 0 ? video.frames - 1 : options.to;
  if (options.to >= 0) last = std::min(last, options.to);
  return last < options.from ? 0
                             : (last - options.from) / std::max<std::int64_t>(options.every, 1) + 1;
}

double secondsAFrame(const VideoInfo& video, const VideoFilmOptions& options) {
  return static_cast<double>(std::max<std::int64_t>(options.every, 1)) / video.rate;
}

Result<FilmedMap> filmedMap(const Look& look, const ModelInfo& model,
                            const VideoFilmOptions& options) {
  return guarded("film", [&] {
    return options.showRollout ? filmedRollout(look, options)
                               : filmedAttention(look, model, options);
  });
}

Result<std::vector<FilmedFrame>> filmVideo(InferenceSession& session, const MaskScheme& masks,
                                           VideoReader& video, const VideoFilmOptions& options,
                                           FilmFile* film, const ProgressCallback& progress,
                                           std::stop_token stop) {
  const std::string name = video.info().name;
  return guarded(name, [&] {
    requireOptions(options);
    RemainingTime remaining;
    std::vector<FilmedFrame> filmed;
    for (std::int64_t at = options.from; options.to < 0 || at <= options.to; at += options.every) {
      if (stop.stop_requested()) throw Failure({ErrorCode::Canceled, "canceled", name});
      const auto frame = valueOrThrow(video.at(at, stop));
      if (!frame) break;
      const Look look = valueOrThrow(session.look(frame->image, masks, {film != nullptr, 5}, stop));
      if (film) valueOrThrow(film->add(filmedPicture(name, *frame, look, session.info(), options)));
      filmed.push_back({frame->index, frame->seconds, look.top});
      const auto done = static_cast<std::int64_t>(filmed.size());
      const std::int64_t total = chosenFrames(video.info(), options);
      if (progress)
        progress({"looking at frames", done, total,
                  total > 0 ? remaining.secondsRemaining(done, total) : -1});
    }
    if (filmed.empty())
      refuseFilming("has no frame " + std::to_string(options.from) + ": it has " +
                        std::to_string(video.info().frames) + ", counted from 0",
                    name);
    return filmed;
  });
}

std::string filmedTable(const std::vector<FilmedFrame>& frames) {
  std::string table = "frame,time,class,probability\n";
  for (const FilmedFrame& frame : frames) {
    char text[64];
    std::snprintf(text, sizeof text, "%lld,%.4f,", static_cast<long long>(frame.index),
                  frame.seconds);
    table += text;
    if (frame.top.empty()) {
      table += ",\n";
      continue;
    }
    std::snprintf(text, sizeof text, ",%.6f\n", static_cast<double>(frame.top.front().probability));
    table += quoted(frame.top.front().name) + text;
  }
  return table;
}

}  // namespace headlight
