// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/codecs/IndexPng.h"

#include "core/base/Translation.h"
#include "core/imaging/codecs/Bytes.h"
#include "core/imaging/codecs/Decoders.h"
#include "core/imaging/codecs/Image.h"
#include "core/imaging/codecs/PngChunks.h"

namespace headlight {
namespace {

constexpr int kGray = 0, kColors = 2, kPalette = 3, kColorsAndAlpha = 6;  // of the PNG standard

/// What a PNG's first chunk says of its pixels.
struct PixelKind {
  int depth = 0;  ///< bits of a channel
  int color = -1;
};

/// -1 for the color where this is no PNG, or a damaged one.
PixelKind kindOfPixels(std::string_view bytes) {
  if (!bytes.starts_with(kPngSignature)) return {};
  const auto header = pngChunkAt(bytes, kPngSignature.size());
  if (!header || header->type != "IHDR" || header->data.size() != 13) return {};
  const Bytes reader(header->data, ByteOrder::Big);
  return {static_cast<int>(reader.u8(8)), static_cast<int>(reader.u8(9))};
}

void requireNumbers(const PixelKind& kind) {
  if (kind.color != kGray && kind.color != kPalette)
    refuse(ErrorCode::UnsupportedFile,
           tr("has colors or transparency in place of numbers; save it as an 8-bit gray PNG or "
              "with a palette"));
  if (kind.color == kGray && kind.depth < 8)
    refuse(ErrorCode::UnsupportedFile,
           tr("has ") + std::to_string(kind.depth) +
               tr("-bit gray, whose numbers programs understand differently; save it as an 8-bit "
                  "gray PNG"));
}

std::vector<std::uint16_t> valuesOf(const Pixels& bytes, int bytesPerNumber) {
  if (bytesPerNumber == 1) return {bytes.begin(), bytes.end()};
  std::vector<std::uint16_t> values(bytes.size() / 2);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<std::uint16_t>(bytes[2 * i] << 8 | bytes[2 * i + 1]);
  return values;
}

}  // namespace

bool isColorPng(std::string_view bytes) {
  const int color = kindOfPixels(bytes).color;
  return color == kColors || color == kColorsAndAlpha;
}

Result<IndexImage> decodeIndexPng(std::string_view bytes, const std::string& name) {
  auto result = guarded(name, [&]() -> IndexImage {
    if (bytes.size() > kMaxImageBytes) refuse(ErrorCode::UnsupportedFile, tr("is too large"));
    const ImageHeader header = readImageHeader(bytes);
    if (header.format != ImageFormat::Png)
      refuse(ErrorCode::UnsupportedFile,
             tr("is no PNG; other formats change numbers: save it as an 8-bit gray PNG"));
    const PixelKind kind = kindOfPixels(bytes);
    requireNumbers(kind);
    const int size = kind.depth == 16 ? 2 : 1;
    return {static_cast<int>(header.width), static_cast<int>(header.height),
            valuesOf(decodePngNumbers(bytes, header, size), size)};
  });
  if (result) return result;
  Error error = result.error();
  error.where = name;
  return error;
}

}  // namespace headlight
