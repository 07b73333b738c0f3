// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/figures/VideoFilm.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <tuple>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/workbench/figures/FilmImages.h"
#include "core/workbench/session/Images.h"

namespace headlight {
namespace {

constexpr int kLeastFilmWidth = 32, kMostFilmWidth = 4000;

void requireOptions(const VideoFilmOptions& options) {
  if (options.every < 1) refuseFilming(tr("must be at least 1"), "every");
  if (options.from < 0) refuseFilming(tr("is counted from 0"), "from");
  if (options.to >= 0 && options.to < options.from)
    refuseFilming(tr("must not be before from"), "to");
  if (options.width < kLeastFilmWidth || options.width > kMostFilmWidth)
    refuseFilming(tr("must be from 32 to 4000 pixels"), "width");
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
      notify(stage, ++done, passes * count);
    }
  }

 private:
  void notify(const std::string& stage, std::int64_t done, std::int64_t total) {
    if (m_progress)
      m_progress({stage, done, total, total > 0 ? m_remaining.secondsRemaining(done, total) : -1});
  }

  VideoReader& m_video;
  const VideoFilmOptions& m_options;
  const ProgressCallback& m_progress;
  const std::stop_token& m_stop;
  RemainingTime m_remaining;
};

std::string filmCell(const std::string& text) {
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
    FilmImages images(name, options);
    const Preprocessing seen = makePreprocessing(model.experiment.model);
    FramePass pass(video, options, progress, stop);
    const bool twice = film && options.oneScale;
    std::vector<Shot> shots;
    pass.run("running the model on frames", 0, twice ? 2 : 1, [&](const VideoFrame& frame) {
      const InferenceResult inference =
          valueOrThrow(session.infer(frame.image, masks, {film != nullptr, 5}, stop));
      Shot& shot = shots.emplace_back(Shot{{frame.index, frame.seconds, inference.top}, {}});
      if (!film) return;
      shot.map = valueOrThrow(filmedMap(inference, model, options));
      images.readWords(inference);
      if (twice) return;
      const DrawnMap drawn = images.drawn(shot.map.values, shot.map.isSigned);
      valueOrThrow(film->add(images.of(shot, evaluationPixels(frame.image, seen), drawn)));
      shot.map = {};
    });
    if (shots.empty())
      refuseFilming(tr("has no frame ") + std::to_string(options.from) + tr(": it has ") +
                        std::to_string(video.info().frames) + tr(", counted from 0"),
                    name);
    if (twice) {
      const DrawnMap drawn = images.drawnTogether(shots);
      auto next = shots.begin();
      pass.run("drawing frames", 1, 2, [&](const VideoFrame& frame) {
        if (next == shots.end() || next->frame.index != frame.index)
          throw Failure({ErrorCode::InvalidFile, tr("gives other frames the second time"), name});
        valueOrThrow(film->add(images.of(*next++, evaluationPixels(frame.image, seen), drawn)));
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
    table += filmCell(frame.top.front().name) + text;
  }
  return table;
}

}  // namespace headlight
