// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/video/VideoIo.h"

#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>

#include <cstdlib>

namespace headlight {
namespace {

constexpr const char* kOptions = "OPENCV_FFMPEG_CAPTURE_OPTIONS";

int printNothing(int, const char*, const char*, const char*, int, void*) {
  return 0;
}

std::unique_lock<std::mutex> takeTurn() {
  static std::mutex opening;
  return std::unique_lock(opening);
}

}  // namespace

void prepareVideoIo() {
  static const bool once = [] {
    cv::redirectError(printNothing);
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    // OpenCV has no other way to say either, and reads them when it first opens something.
    ::setenv("OPENCV_FFMPEG_LOGLEVEL", "-8", /*overwrite=*/1);
    ::setenv(kOptions, "protocol_whitelist;file", /*overwrite=*/1);
    return true;
  }();
  static_cast<void>(once);
}

/// OpenCV reads the variable at every opening. It exists already, so that setting it moves nothing
/// that another thread may be reading.
DemuxerLimit::DemuxerLimit(const std::string& demuxer) {
  prepareVideoIo();
  m_turn = takeTurn();
  // The input format: no other is tried, and "%03d" in a name is no pattern of other files. The
  // two last: tracks of MP4 that lie in other files stay closed.
  const std::string options = "protocol_whitelist;file|format_whitelist;" + demuxer +
                              "|input_format;" + demuxer + "|enable_drefs;0|use_absolute_path;0";
  ::setenv(kOptions, options.c_str(), /*overwrite=*/1);
}

}  // namespace headlight
