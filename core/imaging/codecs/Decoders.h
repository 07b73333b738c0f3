// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From a file whose header was believed to pixels as stored: 8-bit RGB, [height, width, 3], not yet
// upright. Private to imaging. Each throws Failure: InvalidFile (damaged, or its size differs from
// the header's), UnsupportedFile (a kind of image that is not read here). None writes to the
// standard error: the codecs' own messages end up in the Failure.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/imaging/codecs/ImageHeader.h"

namespace headlight {

using Pixels = std::vector<std::uint8_t>;

/// Pixels over white, and the same with alpha dropped; empty where nothing is transparent.
struct StoredPixels {
  Pixels pixels, alphaDropped = {};
};

/// libjpeg. CMYK as Pillow turns it into RGB, Adobe's inverted kind too. Entropy-coded data that
/// ends early or is unreadable is damage, not a partly gray image.
Pixels decodeJpeg(std::string_view bytes, const ImageHeader& header);

/// A rectangle, not empty, of a JPEG reduced to eighths/8 (rounded up).
struct JpegPart {
  int eighths = 8;
  std::int64_t left = 0;
  std::int64_t top = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;
};
/// All of it, reduced.
JpegPart wholeJpeg(const ImageHeader& header, int eighths);
/// The same pixels that decoding all of it gives there, [part.height, part.width, 3]. Less than the
/// whole only of a sequential JPEG. What lies outside is read for damage alone.
Pixels decodeJpegPart(std::string_view bytes, const ImageHeader& header, const JpegPart& part);

/// libpng. 16-bit values are divided by 257 and rounded.
StoredPixels decodePng(std::string_view bytes, const ImageHeader& header);
/// The numbers of a PNG of gray or of a palette as they are stored: [height, width] of
/// `bytesPerNumber` (1, or 2 with the big end first) bytes.
Pixels decodePngNumbers(std::string_view bytes, const ImageHeader& header, int bytesPerNumber);

/// libtiff's own RGBA reading (palette, CMYK, YCbCr, 1 … 16 bits, tiles, planes); first page only.
/// It multiplies colors by their alpha: dropping that divides by it, and what is wholly transparent
/// is black.
StoredPixels decodeTiff(std::string_view bytes, const ImageHeader& header);

/// OpenCV: WebP and BMP.
StoredPixels decodeWithOpenCv(std::string_view bytes, const ImageHeader& header);

/// Netpbm's PBM, PGM and PPM, plain or raw, scaled from their greatest value to 255 and rounded.
Pixels decodePnm(std::string_view bytes, const ImageHeader& header);

/// Throws if a decoder saw another size than the header promised.
void requireSize(const ImageHeader& header, std::int64_t width, std::int64_t height);

/// round(value·alpha + 255·(255 − alpha)) / 255: `value` over white.
inline std::uint8_t overWhite(std::uint32_t value, std::uint32_t alpha) {
  return static_cast<std::uint8_t>((value * alpha + 255 * (255 - alpha) + 127) / 255);
}
/// Of RGBA, four bytes a pixel.
StoredPixels withoutAlpha(const Pixels& rgba);

}  // namespace headlight
