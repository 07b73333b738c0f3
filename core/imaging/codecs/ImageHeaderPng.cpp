// SPDX-License-Identifier: GPL-3.0-or-later

// ImageHeader.h: PNG.

#include <string>

#include "core/base/Translation.h"
#include "core/imaging/codecs/Bytes.h"
#include "core/imaging/codecs/ImageHeader.h"
#include "core/imaging/codecs/PngChunks.h"

namespace headlight {

ImageHeader readPngHeader(std::string_view bytes) {
  ImageHeader header;
  header.format = ImageFormat::Png;
  const auto first = pngChunkAt(bytes, kPngSignature.size());
  if (!first || first->type != "IHDR" || first->data.size() != 13 || !first->intact())
    refuse(ErrorCode::InvalidFile,
           tr("is damaged or truncated: this PNG's header (IHDR) is wrong; save the image again"));
  const Bytes reader(first->data, ByteOrder::Big);
  header.width = reader.u32(0);
  header.height = reader.u32(4);
  for (std::size_t at = first->end;;) {
    const auto chunk = pngChunkAt(bytes, at);
    if (!chunk)
      refuse(ErrorCode::InvalidFile,
             tr("is truncated: this PNG has no end (IEND); fetch or save the image again"));
    if (chunk->type == "IEND") break;
    if (chunk->type == "eXIf" && chunk->intact())
      header.orientation = orientationFromExif(chunk->data);
    at = chunk->end;
  }
  return header;
}

}  // namespace headlight
