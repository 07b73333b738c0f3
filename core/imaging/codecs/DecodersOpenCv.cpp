// SPDX-License-Identifier: GPL-3.0-or-later

// Decoders.h: WebP and BMP, by OpenCV.

#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>

#include "core/base/Translation.h"
#include "core/imaging/codecs/Bytes.h"
#include "core/imaging/codecs/Decoders.h"

namespace headlight {
namespace {

int sayNothing(int, const char*, const char*, const char*, int, void*) {
  return 0;
}

/// OpenCV prints every exception it throws; ours go into the Error instead.
void silenceOpenCv() {
  static const bool once = [] {
    cv::redirectError(sayNothing);
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    return true;
  }();
  static_cast<void>(once);
}

cv::Mat decodeWithOpenCv(std::string_view bytes) {
  silenceOpenCv();
  const cv::Mat buffer(1, static_cast<int>(bytes.size()), CV_8UC1,
                       const_cast<char*>(bytes.data()));  // only read; cv::Mat has no const view
  try {
    return cv::imdecode(buffer, cv::IMREAD_UNCHANGED);
  } catch (const cv::Exception&) {
    return {};
  }
}

}  // namespace

StoredPixels decodeWithOpenCv(std::string_view bytes, const ImageHeader& header) {
  const cv::Mat decoded = decodeWithOpenCv(bytes);
  if (decoded.empty())
    refuse(ErrorCode::InvalidFile,
           tr("is damaged, truncated or of an unusual kind: its pixels cannot be decoded; fetch or "
              "save the image again"));
  requireSize(header, decoded.cols, decoded.rows);
  const int channels = decoded.channels();
  if (decoded.depth() != CV_8U || (channels != 1 && channels != 3 && channels != 4))
    refuse(ErrorCode::UnsupportedFile, tr("is an image of an unusual kind; save it as 8-bit RGB"));
  const int kept = channels == 4 ? 4 : 3;
  Pixels pixels(static_cast<std::size_t>(header.width * header.height * kept));
  std::uint8_t* out = pixels.data();
  for (int y = 0; y < decoded.rows; ++y) {
    const std::uint8_t* in = decoded.ptr<std::uint8_t>(y);
    for (int x = 0; x < decoded.cols; ++x, in += channels, out += kept) {
      for (int c = 0; c < 3; ++c)
        out[c] = channels == 1 ? in[0] : in[2 - c];
      if (kept == 4) out[3] = in[3];
    }
  }
  return kept == 4 ? withoutAlpha(pixels) : StoredPixels{std::move(pixels)};
}

}  // namespace headlight
