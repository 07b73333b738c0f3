// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Frames of a video file or a camera, in their order, by OpenCV's videoio. No OpenCV type here.
// Blocks; one thread at a time.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/imaging/codecs/Image.h"

namespace headlight {

/// What is taken where a file says no rate, or one that cannot be.
inline constexpr double kAssumedFrameRate = 25;

struct VideoInfo {
  std::string name;           ///< the file's, or "camera 0"
  std::string kind;           ///< identifyVideo(); "camera"
  int width = 0, height = 0;  ///< of a frame, in pixels, upright
  double rate = 0;            ///< frames in a second, above 0
  bool rateKnown = true;      ///< false: it is kAssumedFrameRate
  /// As the file says, which may be wrong until the end was reached; 0: unknown, or a camera.
  std::int64_t frames = 0;
  bool isCamera = false;

  double seconds() const { return static_cast<double>(frames) / rate; }
};

struct VideoFrame {
  Image image;
  std::int64_t index = 0;  ///< from 0
  double seconds = 0;      ///< since the beginning, by the rate
};

class VideoReader {
 public:
  /// A local file, told by its content (identifyVideo). Errors: NotFound; InvalidArgument for a
  /// folder or a device; UnsupportedFile for what is no video, and above kMaxImagePixels;
  /// InvalidFile where not even the first frame can be decoded.
  static Result<std::unique_ptr<VideoReader>> open(const std::filesystem::path& file);
  /// A number from cameras(). Errors: NotFound, Io where another program has it.
  static Result<std::unique_ptr<VideoReader>> openCamera(int number);
  ~VideoReader();

  const VideoInfo& info() const;

  /// The frame after the last one; nothing at the end, which is then known (info().frames), also
  /// where the file is cut off or damaged there. Errors: Canceled; InvalidFile for a frame above
  /// kMaxImagePixels.
  Result<std::optional<VideoFrame>> next();
  /// Frame `index`; nothing behind the end. Of a camera: the next. As exact as the file: where a
  /// jump would not lead to that very frame, all before it are decoded. Errors: as next(), and
  /// InvalidArgument below 0.
  Result<std::optional<VideoFrame>> at(std::int64_t index, std::stop_token stop = {});

 private:
  VideoReader();
  struct State;
  std::unique_ptr<State> m_state;
};

struct CameraInfo {
  int number = 0;  ///< of /dev/videoN
  std::string name;
};
/// Those that this computer has; often none.
std::vector<CameraInfo> cameras();

/// One frame of a file, opened for it. Errors: those of VideoReader, NotFound behind the end.
Result<Image> readVideoFrame(const std::filesystem::path& file, std::int64_t index);

}  // namespace headlight
