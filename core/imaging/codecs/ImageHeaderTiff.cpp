// SPDX-License-Identifier: GPL-3.0-or-later

// ImageHeader.h: TIFF.

#include <algorithm>
#include <optional>
#include <string>

#include "core/base/Translation.h"
#include "core/imaging/codecs/Bytes.h"
#include "core/imaging/codecs/ImageHeader.h"

namespace headlight {
namespace {

using namespace std::string_view_literals;

enum Tag : std::uint32_t {
  kWidth = 256,
  kHeight = 257,
  kStripOffsets = 273,
  kOrientation = 274,
  kSamples = 277,
  kRowsPerStrip = 278,
  kPlanes = 284,
  kTileWidth = 322,
  kTileHeight = 323,
  kTileOffsets = 324,
};
enum Type : std::uint32_t { kByte = 1, kShort = 3, kLong = 4 };

/// What is needed of the first directory, with the specification's defaults.
struct Directory {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t orientation = 1;
  std::int64_t samples = 1;
  std::int64_t rowsPerStrip = 0xffffffff;
  std::int64_t planes = 1;  ///< 2: each sample in pieces of its own
  std::int64_t tileWidth = 0;
  std::int64_t tileHeight = 0;
  std::int64_t pieces = 0;  ///< strips or tiles that are listed
};

/// The one number of a directory entry (12 bytes: tag, type, count, value); nothing for other
/// types.
std::optional<std::int64_t> numberOf(const Bytes& reader, std::uint64_t entry) {
  if (reader.u32(entry + 4) != 1) return std::nullopt;
  switch (reader.u16(entry + 2)) {
    case kByte:
      return reader.u8(entry + 8);
    case kShort:
      return reader.u16(entry + 8);
    case kLong:
      return reader.u32(entry + 8);
    default:
      return std::nullopt;
  }
}

std::int64_t* fieldOf(Directory& directory, std::uint32_t tag) {
  switch (tag) {
    case kWidth:
      return &directory.width;
    case kHeight:
      return &directory.height;
    case kOrientation:
      return &directory.orientation;
    case kSamples:
      return &directory.samples;
    case kRowsPerStrip:
      return &directory.rowsPerStrip;
    case kPlanes:
      return &directory.planes;
    case kTileWidth:
      return &directory.tileWidth;
    case kTileHeight:
      return &directory.tileHeight;
    default:
      return nullptr;
  }
}

Directory readFirstDirectory(std::string_view bytes) {
  Directory directory;
  const Bytes reader(bytes, bytes.starts_with('M') ? ByteOrder::Big : ByteOrder::Little);
  const std::uint64_t start = reader.u32(4);
  const std::uint32_t entries = reader.u16(start);
  for (std::uint32_t i = 0; i < entries; ++i) {
    const std::uint64_t entry = start + 2 + 12ull * i;
    const std::uint32_t tag = reader.u16(entry);
    if (tag == kStripOffsets || tag == kTileOffsets) directory.pieces = reader.u32(entry + 4);
    std::int64_t* field = fieldOf(directory, tag);
    const auto number = field == nullptr ? std::nullopt : numberOf(reader, entry);
    if (number) *field = *number;
  }
  if (directory.orientation < 1 || directory.orientation > 8) directory.orientation = 1;
  return directory;
}

std::int64_t ceilDivide(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}

/// libtiff invents strips that are not listed, so that a file that lies about its height would show
/// garbage.
void requireAllPieces(const Directory& directory) {
  std::int64_t needed =
      ceilDivide(directory.height, std::max<std::int64_t>(directory.rowsPerStrip, 1));
  if (directory.tileWidth > 0 && directory.tileHeight > 0)
    needed = ceilDivide(directory.width, directory.tileWidth) *
             ceilDivide(directory.height, directory.tileHeight);
  if (directory.planes == 2) needed *= directory.samples;
  if (directory.pieces < needed)
    refuse(ErrorCode::InvalidFile, tr("is damaged: this TIFF lists ") +
                                       std::to_string(directory.pieces) + tr(" pieces, and ") +
                                       std::to_string(needed) +
                                       tr(" are needed for the size it names"));
}

}  // namespace

ImageHeader readTiffHeader(std::string_view bytes) {
  const Directory directory = readFirstDirectory(bytes);
  requireAllPieces(directory);
  return {ImageFormat::Tiff, directory.width, directory.height,
          static_cast<int>(directory.orientation)};
}

int orientationFromExif(std::string_view exif) {
  if (exif.starts_with("Exif\0\0"sv)) exif.remove_prefix(6);
  if (!exif.starts_with("II*\0"sv) && !exif.starts_with("MM\0*"sv)) return 1;
  try {
    return static_cast<int>(readFirstDirectory(exif).orientation);
  } catch (const Failure&) {
    return 1;
  }
}

}  // namespace headlight
