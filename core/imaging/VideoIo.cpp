#include "core/imaging/VideoIo.h"

#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>

#include <cstdlib>

namespace headlight {
namespace {

int printNothing(int, const char*, const char*, const char*, int, void*) {
  return 0;
}

}  // namespace

void prepareVideoIo() {
  static const bool once = [] {
    cv::redirectError(printNothing);
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    // OpenCV has no other way to say either, and reads them when it first opens something.
    ::setenv("OPENCV_FFMPEG_LOGLEVEL", "-8", /*overwrite=*/0);
    ::setenv("OPENCV_FFMPEG_CAPTURE_OPTIONS", "protocol_whitelist;file", /*overwrite=*/1);
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace headlight
