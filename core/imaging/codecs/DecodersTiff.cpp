// SPDX-License-Identifier: GPL-3.0-or-later

// Decoders.h: TIFF: the only file that knows libtiff.

#include <tiffio.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "core/base/Translation.h"
#include "core/imaging/codecs/Bytes.h"
#include "core/imaging/codecs/Decoders.h"

namespace headlight {
namespace {

constexpr tmsize_t kMaxTiffAllocation = 1 << 30;

/// The file in memory, and the first thing libtiff complained of.
struct TiffSource {
  std::string_view bytes;
  toff_t at = 0;
  std::string complaint;
};

tmsize_t onTiffRead(thandle_t handle, void* out, tmsize_t count) {
  auto* source = static_cast<TiffSource*>(handle);
  if (count <= 0 || source->at >= source->bytes.size()) return 0;
  const std::size_t got =
      std::min<std::size_t>(static_cast<std::size_t>(count), source->bytes.size() - source->at);
  std::memcpy(out, source->bytes.data() + source->at, got);
  source->at += got;
  return static_cast<tmsize_t>(got);
}

tmsize_t onWrite(thandle_t, void*, tmsize_t) {
  return 0;
}

toff_t onSeek(thandle_t handle, toff_t offset, int from) {
  auto* source = static_cast<TiffSource*>(handle);
  if (from == SEEK_CUR) offset += source->at;
  if (from == SEEK_END) offset += source->bytes.size();
  return source->at = offset;
}

toff_t onSize(thandle_t handle) {
  return static_cast<TiffSource*>(handle)->bytes.size();
}

int onClose(thandle_t) {
  return 0;
}

int onTiffError(TIFF*, void* user, const char*, const char* format, va_list arguments) {
  auto* source = static_cast<TiffSource*>(user);
  char text[200];
  std::vsnprintf(text, sizeof text, format, arguments);
  if (source->complaint.empty()) source->complaint = text;
  return 1;  // handled: libtiff's own handler stays silent
}

int onTiffWarning(TIFF*, void*, const char*, const char*, va_list) {
  return 1;
}

using TiffHandle = std::unique_ptr<TIFF, decltype(&TIFFClose)>;

TiffHandle openTiff(TiffSource& source) {
  const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(
      TIFFOpenOptionsAlloc(), &TIFFOpenOptionsFree);
  if (!options) throw std::bad_alloc();
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), onTiffError, &source);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), onTiffWarning, nullptr);
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), kMaxTiffAllocation);
  return {TIFFClientOpenExt("picture", "rm", &source, onTiffRead, onWrite, onSeek, onClose, onSize,
                            nullptr, nullptr, options.get()),
          &TIFFClose};
}

[[noreturn]] void refuseDamagedTiff(const std::string& said) {
  refuse(ErrorCode::InvalidFile,
         tr("is damaged or truncated (") + said + tr("); fetch or save the image again"));
}

/// One 32-bit value a pixel, colors multiplied by alpha already; rows as stored, so that the
/// orientation is applied in one place for all formats.
std::vector<std::uint32_t> readRaster(TIFF* tiff, const ImageHeader& header,
                                      const TiffSource& source) {
  char said[1024] = "";
  TIFFRGBAImage image;
  if (TIFFRGBAImageOK(tiff, said) == 0 || TIFFRGBAImageBegin(&image, tiff, 1, said) == 0)
    refuse(ErrorCode::UnsupportedFile, tr("is a TIFF of an unusual kind (") + std::string(said) +
                                           tr("); save it as 8-bit or 16-bit RGB"));
  const std::unique_ptr<TIFFRGBAImage, decltype(&TIFFRGBAImageEnd)> closer(&image,
                                                                           &TIFFRGBAImageEnd);
  image.req_orientation = image.orientation;
  std::vector<std::uint32_t> raster(static_cast<std::size_t>(header.width * header.height));
  if (TIFFRGBAImageGet(&image, raster.data(), static_cast<std::uint32_t>(header.width),
                       static_cast<std::uint32_t>(header.height)) == 0)
    refuseDamagedTiff(source.complaint.empty() ? tr("its pixels cannot be read")
                                               : source.complaint);
  return raster;
}

StoredPixels unmultiplied(const std::vector<std::uint32_t>& raster) {
  StoredPixels stored{Pixels(raster.size() * 3), Pixels(raster.size() * 3)};
  bool transparent = false;
  for (std::size_t i = 0; i < raster.size(); ++i) {
    const std::uint32_t alpha = TIFFGetA(raster[i]), half = alpha / 2;
    transparent = transparent || alpha != 255;
    const std::uint32_t rgb[3] = {TIFFGetR(raster[i]), TIFFGetG(raster[i]), TIFFGetB(raster[i])};
    for (std::size_t c = 0; c < 3; ++c) {
      stored.pixels[3 * i + c] = static_cast<std::uint8_t>(std::min(rgb[c] + 255 - alpha, 255u));
      stored.alphaDropped[3 * i + c] =
          static_cast<std::uint8_t>(alpha == 0 ? 0 : std::min((rgb[c] * 255 + half) / alpha, 255u));
    }
  }
  if (!transparent) stored.alphaDropped = {};
  return stored;
}

}  // namespace

StoredPixels decodeTiff(std::string_view bytes, const ImageHeader& header) {
  TiffSource source{bytes, 0, {}};
  const TiffHandle tiff = openTiff(source);
  if (!tiff) refuseDamagedTiff(source.complaint);
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height);
  requireSize(header, width, height);
  const std::vector<std::uint32_t> raster = readRaster(tiff.get(), header, source);
  return unmultiplied(raster);
}

}  // namespace headlight
