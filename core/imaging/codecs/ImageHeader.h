// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What an image's file says of itself, read by us before any decoder sees it. Private to imaging.

#include <cstdint>
#include <string_view>

namespace headlight {

enum class ImageFormat { Jpeg, Png, WebP, Bmp, Tiff, Pnm, Heif, Jxl };

struct ImageHeader {
  ImageFormat format = ImageFormat::Jpeg;
  std::int64_t width = 0;  ///< as stored, before `orientation` is applied
  std::int64_t height = 0;
  int orientation = 1;      ///< EXIF's 1 … 8
  bool sequential = false;  ///< a JPEG whose rows come one after another: not progressive
};

inline constexpr int kMaxJpegScans = 100;

/// Told apart by magic bytes. Failures: UnsupportedFile (another kind, or beyond the limits of
/// Image.h), InvalidFile (truncated, or a zero side).
ImageHeader readImageHeader(std::string_view bytes);

/// One format each; the magic bytes are right already. Limits are readImageHeader's business.
ImageHeader readJpegHeader(std::string_view bytes);
ImageHeader readPngHeader(std::string_view bytes);
ImageHeader readWebPHeader(std::string_view bytes);
ImageHeader readBmpHeader(std::string_view bytes);
ImageHeader readTiffHeader(std::string_view bytes);
ImageHeader readPnmHeader(std::string_view bytes);

/// The orientation in an EXIF block (a small TIFF file, with or without "Exif\0\0" before it); 1 if
/// there is none or it is damaged: an image is not refused for that.
int orientationFromExif(std::string_view exif);

}  // namespace headlight
