// SPDX-License-Identifier: GPL-3.0-or-later

// ImageHeader.h: JPEG.

#include <cstring>
#include <string>

#include "core/base/Translation.h"
#include "core/imaging/codecs/Bytes.h"
#include "core/imaging/codecs/ImageHeader.h"

namespace headlight {
namespace {

using namespace std::string_view_literals;

constexpr std::uint32_t kLastSequentialFrame = 0xc1;
constexpr std::uint32_t kEndOfImage = 0xd9;
constexpr std::uint32_t kStartOfScan = 0xda;
constexpr std::uint32_t kApp1 = 0xe1;

[[noreturn]] void refuseTruncatedJpeg() {
  refuse(ErrorCode::InvalidFile,
         tr("is truncated: this JPEG has no end-of-image marker; fetch or save the image again"));
}

bool standsAlone(std::uint32_t marker) {
  return marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

bool startsFrame(std::uint32_t marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

/// The position of the next marker's code byte at or after `from`. Within entropy-coded data 0xff
/// is followed by 0 (a stuffed byte) or a restart marker; both are passed over.
std::size_t nextMarker(std::string_view bytes, std::size_t from, bool inScan) {
  std::size_t at = from;
  while (at + 1 < bytes.size()) {
    const void* found = std::memchr(bytes.data() + at, 0xff, bytes.size() - at - 1);
    if (found == nullptr) break;
    at = static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data()) + 1;
    const auto code = static_cast<std::uint8_t>(bytes[at]);
    if (code == 0xff) continue;  // padding: the next byte is looked at as the code
    if (code == 0 || (inScan && code >= 0xd0 && code <= 0xd7)) continue;
    return at;
  }
  refuseTruncatedJpeg();
}

}  // namespace

ImageHeader readJpegHeader(std::string_view bytes) {
  ImageHeader header;
  header.format = ImageFormat::Jpeg;
  const Bytes reader(bytes, ByteOrder::Big);
  bool frameSeen = false;
  bool exifSeen = false;
  int scans = 0;
  std::size_t at = 2;
  for (bool inScan = false;;) {
    at = nextMarker(bytes, at, inScan);
    const std::uint32_t marker = reader.u8(at++);
    if (marker == kEndOfImage) break;
    if (standsAlone(marker)) continue;
    if (!reader.has(at, 2)) refuseTruncatedJpeg();
    const std::uint32_t length = reader.u16(at);  // counts its own two bytes
    if (length < 2)
      refuse(ErrorCode::InvalidFile,
             tr("is damaged: a JPEG segment is shorter than its own length"));
    if (!reader.has(at, length)) refuseTruncatedJpeg();
    if (startsFrame(marker) && !frameSeen) {
      header.height = reader.u16(at + 3);
      header.width = reader.u16(at + 5);
      header.sequential = marker <= kLastSequentialFrame;
      frameSeen = true;
    } else if (marker == kApp1 && !exifSeen &&
               bytes.substr(at + 2, length - 2).starts_with("Exif\0\0"sv)) {
      header.orientation = orientationFromExif(bytes.substr(at + 2, length - 2));
      exifSeen = true;
    } else if (marker == kStartOfScan && ++scans > kMaxJpegScans) {
      refuse(ErrorCode::UnsupportedFile, tr("is a JPEG of more than ") +
                                             std::to_string(kMaxJpegScans) +
                                             tr(" scans, more than any real image; save it again"));
    }
    inScan = marker == kStartOfScan;
    at += length;
  }
  if (!frameSeen || scans == 0)
    refuse(ErrorCode::InvalidFile, tr("is damaged: this JPEG ends before its first scan"));
  return header;
}

}  // namespace headlight
