// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/codecs/ImageHeader.h"

#include <string>

#include "core/base/ForeignContent.h"
#include "core/base/Translation.h"
#include "core/imaging/codecs/Bytes.h"
#include "core/imaging/codecs/Image.h"
#include "core/imaging/codecs/OptionalFormats.h"
#include "core/imaging/codecs/Pnm.h"

namespace headlight {
namespace {

using namespace std::string_view_literals;

ImageHeader readByMagic(std::string_view bytes) {
  if (bytes.starts_with("\xff\xd8\xff"sv)) return readJpegHeader(bytes);
  if (bytes.starts_with("\x89PNG\r\n\x1a\n"sv)) return readPngHeader(bytes);
  if (bytes.starts_with("RIFF"sv) &&
      bytes.substr(std::min<std::size_t>(bytes.size(), 8)).starts_with("WEBP"sv))
    return readWebPHeader(bytes);
  if (bytes.starts_with("II*\0"sv) || bytes.starts_with("MM\0*"sv)) return readTiffHeader(bytes);
  if (bytes.starts_with("II+\0"sv) || bytes.starts_with("MM\0+"sv))
    refuse(ErrorCode::UnsupportedFile, tr("is a BigTIFF, which is not read here; save it as TIFF"));
  if (bytes.starts_with("BM"sv)) return readBmpHeader(bytes);
  if (beginsLikePnm(bytes)) return readPnmHeader(bytes);
  if (beginsLikeHeif(bytes)) return readHeifHeader(bytes);
  if (beginsLikeJxl(bytes)) return readJxlHeader(bytes);
  if (bytes.empty()) refuse(ErrorCode::InvalidFile, tr("is empty (zero bytes)"));
  if (const std::string other = foreignContent(bytes); !other.empty())
    refuse(ErrorCode::UnsupportedFile, other);
  refuse(ErrorCode::UnsupportedFile, tr("is not a JPEG, PNG, WebP, BMP, TIFF, PPM, HEIC, AVIF or "
                                        "JPEG XL image; convert it to one of "
                                        "these"));
}

}  // namespace

ImageHeader readImageHeader(std::string_view bytes) {
  const ImageHeader header = readByMagic(bytes);
  if (header.width <= 0 || header.height <= 0)
    refuse(ErrorCode::InvalidFile, tr("says it is ") + std::to_string(header.width) + " x " +
                                       std::to_string(header.height) +
                                       tr(" pixels; an image needs at least one pixel per side"));
  if (header.width > kMaxImagePixels / header.height)
    refuse(ErrorCode::UnsupportedFile, tr("says it is ") + std::to_string(header.width) + " x " +
                                           std::to_string(header.height) + tr(" pixels; at most ") +
                                           std::to_string(kMaxImagePixels / 1'000'000) +
                                           tr(" megapixels are read here: scale it down first"));
  return header;
}

}  // namespace headlight
