// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/figures/VideoFilm.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <tuple>

#include "core/base/Text.h"
#include "core/workbench/figures/FilmPictures.h"
#include "core/workbench/session/Pictures.h"

namespace headlight {
namespace {

constexpr int kLeastFilmWidth = 32, kMostFilmWidth = 4000;

void requireOptions(const VideoFilmOptions& options) {
  if (options.every < 1) refuseFilming("must be at least 1: every so many frames", "every");
  if (options.from < 0) refuseFilming("is counted from 0", "from");
  if (options.to >= 0 && options.to < options.from) refuseFilming("is before from", "to");
  if (options.width < kLeastFilmWidth || options.width > kMostFilmWidth)
    refuseFilming("must be from 32 to 4000 pixels", "width");
}

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

std::string cell(const std::string& text) {
  return text.find_first_of(",\"\n\r") == std::string::npos ? text : csvQuoted(text);
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
      const InferenceResult look =
          valueOrThrow(session.look(frame.image, masks, {film != nullptr, 5}, stop));
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
    table += cell(frame.top.front().name) + text;
  }
  return table;
}

}  // namespace headlight
