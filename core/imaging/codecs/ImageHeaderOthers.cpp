// SPDX-License-Identifier: GPL-3.0-or-later

// ImageHeader.h: WebP and BMP.

#include <cstdlib>
#include <string>

#include "core/base/Translation.h"
#include "core/imaging/codecs/Bytes.h"
#include "core/imaging/codecs/Image.h"
#include "core/imaging/codecs/ImageHeader.h"

namespace headlight {
namespace {

using namespace std::string_view_literals;

[[noreturn]] void refuseTruncated(const char* format) {
  refuse(ErrorCode::InvalidFile, tr("is truncated: this ") + std::string(format) +
                                     tr(" declares more data than it has; fetch or save it again"));
}

/// Width and height of the three kinds of first chunk: lossy, lossless, extended.
void readWebPSize(const Bytes& chunk, std::string_view type, ImageHeader& header) {
  if (type == "VP8 ") {
    if (chunk.u24(3) != 0x2a019d)
      refuse(ErrorCode::InvalidFile, tr("is damaged: no WebP key frame"));
    header.width = chunk.u16(6) & 0x3fff;
    header.height = chunk.u16(8) & 0x3fff;
  } else if (type == "VP8L") {
    if (chunk.u8(0) != 0x2f)
      refuse(ErrorCode::InvalidFile, tr("is damaged: no WebP lossless frame"));
    const std::uint32_t packed = chunk.u32(1);
    header.width = (packed & 0x3fff) + 1;
    header.height = (packed >> 14 & 0x3fff) + 1;
  } else if (type == "VP8X") {
    if ((chunk.u8(0) & 2) != 0)
      refuse(ErrorCode::UnsupportedFile, tr("is an animated WebP; save one of its frames"));
    header.width = std::int64_t{chunk.u24(4)} + 1;
    header.height = std::int64_t{chunk.u24(7)} + 1;
  } else {
    refuse(ErrorCode::InvalidFile, tr("is damaged: this WebP does not begin with an image"));
  }
}

std::int64_t signed32(const Bytes& file, std::uint64_t offset) {
  return static_cast<std::int32_t>(file.u32(offset));
}

/// Bytes of uncompressed BMP pixels; rows are padded to four bytes.
std::int64_t bmpPixelBytes(const ImageHeader& header, std::int64_t bitsPerPixel) {
  return (header.width * bitsPerPixel + 31) / 32 * 4 * header.height;
}

/// What OpenCV would refuse too, but print: an unusual header, or a palette beyond the file's end.
void requireKnownBmp(const Bytes& file, std::uint32_t infoSize, std::uint32_t bitsPerPixel,
                     std::uint32_t compression) {
  if ((infoSize != 12 && infoSize < 40) || compression > 3)  // none, two run lengths, bit fields
    refuse(ErrorCode::UnsupportedFile, tr("is a BMP of an unusual kind; save it as PNG"));
  file.slice(14, infoSize);
  if (bitsPerPixel > 8) return;
  const std::uint32_t named = infoSize == 12 ? 0 : file.u32(46);
  const std::uint32_t colors = named == 0 ? 1u << bitsPerPixel : named;
  if (colors > 256)
    refuse(ErrorCode::InvalidFile, tr("is damaged: this BMP has a palette of ") +
                                       std::to_string(colors) + tr(" colors, and 256 is the most"));
  file.slice(std::uint64_t{14} + infoSize, colors * (infoSize == 12 ? 3 : 4));
}

}  // namespace

ImageHeader readWebPHeader(std::string_view bytes) {
  ImageHeader header;
  header.format = ImageFormat::WebP;
  const Bytes file(bytes, ByteOrder::Little);
  const std::uint64_t end = std::uint64_t{file.u32(4)} + 8;
  if (end > bytes.size()) refuseTruncated("WebP");
  for (std::uint64_t at = 12; at + 8 <= end;) {
    const std::string_view type = file.slice(at, 4);
    const std::uint64_t length = file.u32(at + 4);
    if (!file.has(at + 8, length)) refuseTruncated("WebP");
    const std::string_view data = file.slice(at + 8, length);
    if (at == 12) readWebPSize(Bytes(data, ByteOrder::Little), type, header);
    if (type == "EXIF") header.orientation = orientationFromExif(data);
    at += 8 + length + (length & 1);
  }
  return header;
}

ImageHeader readBmpHeader(std::string_view bytes) {
  ImageHeader header;
  header.format = ImageFormat::Bmp;
  const Bytes file(bytes, ByteOrder::Little);
  const std::uint32_t pixels = file.u32(10);
  const bool old = file.u32(14) == 12;
  header.width = old ? file.u16(18) : signed32(file, 18);
  header.height = old ? file.u16(20) : std::abs(signed32(file, 22));  // negative: from the top
  const std::uint32_t bitsPerPixel = old ? file.u16(24) : file.u16(28);
  const std::uint32_t compression = old ? 0 : file.u32(30);
  const bool runLengths = compression == 1 || compression == 2;
  if (bitsPerPixel > 32)
    refuse(ErrorCode::UnsupportedFile, tr("is a BMP of more than 32 bits a pixel"));
  requireKnownBmp(file, file.u32(14), bitsPerPixel, compression);
  const bool plausible = header.width > 0 && header.width * header.height <= kMaxImagePixels;
  if (plausible && !runLengths &&
      bmpPixelBytes(header, bitsPerPixel) + pixels > static_cast<std::int64_t>(bytes.size()))
    refuseTruncated("BMP");
  return header;
}

}  // namespace headlight
