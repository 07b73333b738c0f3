// SPDX-License-Identifier: GPL-3.0-or-later

// Decoders.h: PNG: the only file that knows libpng.

#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <string>

#include <png.h>

#include "core/base/Translation.h"
#include "core/imaging/codecs/Bytes.h"
#include "core/imaging/codecs/Decoders.h"

namespace headlight {
namespace {

/// The reading of one file. Plain data only, so that longjmp skips no destructor; the buffers
/// belong to decodePng.
struct PngReading {
  std::string_view bytes;
  std::size_t at;
  std::jmp_buf jump;
  char message[160];
  png_structp png;
  png_infop info;
  bool asStored = false;  ///< palette and 16-bit numbers stay as they are
};

[[noreturn]] void onPngError(png_structp png, png_const_charp message) {
  auto* reading = static_cast<PngReading*>(png_get_error_ptr(png));
  std::snprintf(reading->message, sizeof reading->message, "%s", message);
  std::longjmp(reading->jump, 1);
}

void onPngWarning(png_structp, png_const_charp) {}

void onPngRead(png_structp png, png_bytep out, std::size_t count) {
  auto* reading = static_cast<PngReading*>(png_get_io_ptr(png));
  if (count > reading->bytes.size() - reading->at) png_error(png, "the file ends early");
  std::memcpy(out, reading->bytes.data() + reading->at, count);
  reading->at += count;
}

void expandToColors(png_structp png) {
  png_set_expand(png);
  png_set_scale_16(png);
  png_set_gray_to_rgb(png);
}

/// Opens and asks for 8-bit RGB, or RGBA where anything is transparent, or for numbers as they are
/// stored, in bytes; `channels` says which.
bool begin(PngReading& reading, int& channels, std::int64_t& width, std::int64_t& height) {
  if (setjmp(reading.jump) != 0) return false;
  reading.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, onPngError, onPngWarning);
  if (reading.png == nullptr) return false;
  reading.info = png_create_info_struct(reading.png);
  if (reading.info == nullptr) return false;
  png_set_read_fn(reading.png, &reading, onPngRead);
  // Our own limit is on pixels, not sides; libpng's default stops at a million a side.
  png_set_user_limits(reading.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_read_info(reading.png, reading.info);
  reading.asStored ? png_set_packing(reading.png) : expandToColors(reading.png);
  png_set_interlace_handling(reading.png);
  png_read_update_info(reading.png, reading.info);
  channels = png_get_channels(reading.png, reading.info);
  width = png_get_image_width(reading.png, reading.info);
  height = png_get_image_height(reading.png, reading.info);
  return true;
}

bool readPngRows(PngReading& reading, png_bytepp rows) {
  if (setjmp(reading.jump) != 0) return false;
  png_read_image(reading.png, rows);
  return true;
}

[[noreturn]] void refuseDamagedPng(const PngReading& reading) {
  refuse(ErrorCode::InvalidFile, tr("is damaged or truncated (") + std::string(reading.message) +
                                     tr("); fetch or save the image again"));
}

/// Closes what begin() opened.
struct PngCloser {
  PngReading& reading;
  ~PngCloser() { png_destroy_read_struct(&reading.png, &reading.info, nullptr); }
};

Pixels readPngPixels(PngReading& reading, std::size_t rowBytes, std::int64_t height) {
  Pixels pixels(rowBytes * static_cast<std::size_t>(height));
  std::vector<png_bytep> rows(static_cast<std::size_t>(height));
  for (std::size_t y = 0; y < rows.size(); ++y)
    rows[y] = pixels.data() + y * rowBytes;
  if (!readPngRows(reading, rows.data())) refuseDamagedPng(reading);
  return pixels;
}

}  // namespace

StoredPixels decodePng(std::string_view bytes, const ImageHeader& header) {
  PngReading reading{bytes, 0, {}, "not enough memory", nullptr, nullptr};
  const PngCloser closer{reading};
  int channels = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;
  if (!begin(reading, channels, width, height)) refuseDamagedPng(reading);
  requireSize(header, width, height);
  if (channels != 3 && channels != 4)
    refuse(ErrorCode::UnsupportedFile, tr("is a PNG of an unusual kind; save it as RGB"));
  const auto rowBytes = static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
  Pixels pixels = readPngPixels(reading, rowBytes, height);
  return channels == 4 ? withoutAlpha(pixels) : StoredPixels{std::move(pixels)};
}

Pixels decodePngNumbers(std::string_view bytes, const ImageHeader& header, int bytesPerNumber) {
  PngReading reading{bytes, 0, {}, "not enough memory", nullptr, nullptr, true};
  const PngCloser closer{reading};
  int channels = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;
  if (!begin(reading, channels, width, height)) refuseDamagedPng(reading);
  requireSize(header, width, height);
  const auto rowBytes = static_cast<std::size_t>(width) * static_cast<std::size_t>(bytesPerNumber);
  if (channels != 1 || png_get_rowbytes(reading.png, reading.info) != rowBytes)
    refuse(ErrorCode::UnsupportedFile,
           tr("is a PNG of an unusual kind; save it with one channel of 8 or 16 bits"));
  return readPngPixels(reading, rowBytes, height);
}

}  // namespace headlight
