// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A video as a model sees it: a token's map, or the rollout, over chosen frames as a film with
// captions, and what is predicted of each. The same from the window and the command line. No torch
// type here.

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/workbench/session/InferenceSession.h"
#include "core/workbench/session/MapRendering.h"
#include "core/workbench/session/Video.h"

namespace headlight {

struct VideoFilmOptions {
  bool showRollout = false;  ///< else attention
  int layer = -1;            ///< from 0; −1: the last
  int head = -1;             ///< from 0; −1: the mean of the layer's heads
  int query = -1;  ///< a token of the model's grid; −1: class token, or the middle patch
  RolloutOptions rollout;
  MapStyle style = MapStyle::Headlight;
  double dim = 0.85, opacity = 0.6;  ///< in [0, 1]: of the headlight, of an overlay
  ColorMap colorMap = ColorMap::Viridis;
  bool smooth = true;
  /// One scale over all frames, else each has its own. The video is read twice then.
  bool oneScale = false;
  int width = 480;  ///< of what the model saw, in pixels, 32 to 4000; captions come around it
  /// Frames `from`, `from` + `every`, … up to `to` (included; −1: to the end).
  std::int64_t from = 0, to = -1, every = 1;
};

struct FilmedFrame {
  std::int64_t index = 0;  ///< in the video
  double seconds = 0;
  std::vector<ClassScore> top;  ///< best first; empty without a classifier
};

/// Values of one frame's map, [rows × cols].
struct FilmedMap {
  std::vector<float> values;
  int rows = 0, cols = 0;
  bool smooth = true;  ///< whether patches may be blended
  bool isSigned = false;
  std::string subject;  ///< "attention of the class token"
  std::string place;    ///< "layer 3, head 1"
};

/// How many frames are chosen of a video; 0: unknown, as the video's own number.
std::int64_t chosenFrames(const VideoInfo& video, const VideoFilmOptions& options);
/// How long each is shown, so that the film goes as fast as the video.
double secondsAFrame(const VideoInfo& video, const VideoFilmOptions& options);

/// What of an inference result is filmed: the numbers that `attend` draws. Errors (InvalidArgument):
/// no such layer, head or token, or the layer does not have that token.
Result<FilmedMap> filmedMap(const InferenceResult& inference, const ModelInfo& model,
                            const VideoFilmOptions& options);

/// Looks at every chosen frame, and adds it to `film` (null: predictions alone). The film is not
/// finished. Errors: those of reading, looking and writing; InvalidArgument for options out of
/// range, and where no frame is among those chosen; Canceled.
Result<std::vector<FilmedFrame>> filmVideo(InferenceSession& session, const MaskScheme& masks,
                                           VideoReader& video, const VideoFilmOptions& options,
                                           FilmFile* film, const ProgressCallback& progress = {},
                                           std::stop_token stop = {});

/// A table, a line a frame: frame,time,class,probability.
std::string filmedTable(const std::vector<FilmedFrame>& frames);

}  // namespace headlight
