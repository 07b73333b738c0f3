#include "core/workbench/VideoFilm.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <tuple>

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

Image litView(const Image& view, const FilmedMap& map, const DrawnMap& drawn,
              const VideoFilmOptions& options) {
  const int height = std::max(1, options.width * view.height / std::max(1, view.width));
  const Image ground = resize(view, options.width, height, Interpolation::Bicubic);
  const bool smooth = options.smooth && map.smooth;
  if (drawn.style == MapStyle::Overlay)
    return overlay(ground, map.values, map.rows, map.cols, drawn.range, drawn.colorMap,
                   options.opacity, smooth);
  return headlightPicture(ground, map.values, map.rows, map.cols, drawn.range,
                          {drawn.style == MapStyle::Warm, options.dim}, smooth);
}

/// A frame that was looked at, without its pixels.
struct Shot {
  FilmedFrame frame;
  FilmedMap map;
};

/// The pictures of a film, and what is said in all of them.
class FilmPictures {
 public:
  FilmPictures(std::string name, const VideoFilmOptions& options)
      : m_name(std::move(name)), m_options(options) {}

  /// To be called with a look before its picture is made.
  void readWords(const Look& look) {
    m_words.clear();
    if (look.masks.maskedHeads() > 0) m_words.append("; masks: ").append(look.masks.name());
    if (!look.maps.meaning.empty()) m_words.append(". ").append(look.maps.meaning);
  }

  DrawnMap drawn(const std::vector<float>& values, bool isSigned) const {
    return drawnMap(values, isSigned, m_options.style, m_options.colorMap);
  }
  /// How the maps of all shots are drawn together.
  DrawnMap drawnTogether(const std::vector<Shot>& shots) const {
    std::vector<float> all;
    for (const Shot& shot : shots)
      all.insert(all.end(), shot.map.values.begin(), shot.map.values.end());
    return drawn(all, shots.front().map.isSigned);
  }

  /// What changes from frame to frame stands in lines that are never broken, or is always as long,
  /// so that every frame is of one size.
  Image of(const Shot& shot, const Image& view, const DrawnMap& drawn) const {
    FigureGrid figure;
    char text[96];
    figure.title = m_name;
    if (const auto& top = shot.frame.top; !top.empty()) {
      std::snprintf(text, sizeof text, " %.1f %%", 100 * top.front().probability);
      figure.title = top.front().name + text;
    }
    std::snprintf(text, sizeof text, "%.1e to %.1e", drawn.range.low, drawn.range.high);
    figure.footnote =
        m_name + ": " + shot.map.subject + ", " + text +
        (m_options.oneScale ? ", one scale for all frames" : ", each frame on a scale of its own");
    if (drawn.style != MapStyle::Overlay) figure.footnote += " that ends at the 98th percentile";
    figure.footnote += m_words;
    std::snprintf(text, sizeof text, "frame %lld, %.2f s; ",
                  static_cast<long long>(shot.frame.index), shot.frame.seconds);
    figure.tiles.push_back({litView(view, shot.map, drawn, m_options), text + shot.map.place});
    return composeFigure(figure);
  }

 private:
  std::string m_name, m_words;
  VideoFilmOptions m_options;
};

/// A pass over the chosen frames of a video, with its progress.
class FramePass {
 public:
  FramePass(VideoReader& video, const VideoFilmOptions& options, const ProgressCallback& progress,
            const std::stop_token& stop)
      : m_video(video), m_options(options), m_progress(progress), m_stop(stop) {}

  /// `body` of every frame; of `passes` passes this is number `pass`, from 0.
  void run(const std::string& stage, int pass, int passes,
           const std::function<void(const VideoFrame&)>& body) {
    const std::int64_t count = chosenFrames(m_video.info(), m_options);
    std::int64_t done = pass * count;
    const auto& [from, to, every] = std::tie(m_options.from, m_options.to, m_options.every);
    m_remaining.start(done);
    for (std::int64_t at = from; to < 0 || at <= to; at += every) {
      if (m_stop.stop_requested())
        throw Failure({ErrorCode::Canceled, "canceled", m_video.info().name});
      const auto frame = valueOrThrow(m_video.at(at, m_stop));
      if (!frame) break;
      body(*frame);
      tell(stage, ++done, passes * count);
    }
  }

 private:
  void tell(const std::string& stage, std::int64_t done, std::int64_t total) {
    if (m_progress)
      m_progress({stage, done, total, total > 0 ? m_remaining.secondsRemaining(done, total) : -1});
  }

  VideoReader& m_video;
  const VideoFilmOptions& m_options;
  const ProgressCallback& m_progress;
  const std::stop_token& m_stop;
  RemainingTime m_remaining;
};

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
    const ModelInfo& model = session.info();
    FilmPictures pictures(name, options);
    FramePass pass(video, options, progress, stop);
    const bool twice = film && options.oneScale;
    std::vector<Shot> shots;
    pass.run("looking at frames", 0, twice ? 2 : 1, [&](const VideoFrame& frame) {
      const Look look = valueOrThrow(session.look(frame.image, masks, {film != nullptr, 5}, stop));
      Shot& shot = shots.emplace_back(Shot{{frame.index, frame.seconds, look.top}, {}});
      if (!film) return;
      shot.map = valueOrThrow(filmedMap(look, model, options));
      pictures.readWords(look);
      if (twice) return;
      const DrawnMap drawn = pictures.drawn(shot.map.values, shot.map.isSigned);
      valueOrThrow(film->add(pictures.of(shot, look.view, drawn)));
      shot.map = {};
    });
    if (shots.empty())
      refuseFilming("has no frame " + std::to_string(options.from) + ": it has " +
                        std::to_string(video.info().frames) + ", counted from 0",
                    name);
    if (twice) {
      const DrawnMap drawn = pictures.drawnTogether(shots);
      const Preprocessing seen = preprocessingOf(model.experiment.model);
      auto next = shots.begin();
      pass.run("drawing frames", 1, 2, [&](const VideoFrame& frame) {
        if (next == shots.end() || next->frame.index != frame.index)
          throw Failure({ErrorCode::InvalidFile, "reads differently the second time", name});
        valueOrThrow(film->add(pictures.of(*next++, evaluationView(frame.image, seen), drawn)));
      });
    }
    std::vector<FilmedFrame> filmed;
    for (Shot& shot : shots)
      filmed.push_back(std::move(shot.frame));
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
