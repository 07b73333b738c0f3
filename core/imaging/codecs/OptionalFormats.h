// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Formats whose libraries not every system has: HEIC and AVIF by libheif, JPEG XL by libjxl. What
// a file is, is known without them. Private to imaging, except what tells files apart.

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/imaging/codecs/Decoders.h"
#include "core/imaging/codecs/ImageHeader.h"

namespace headlight {

/// Whether the first bytes are a still image in HEIF's container (HEIC, AVIF), or JPEG XL's.
bool beginsLikeHeif(std::string_view head);
bool beginsLikeJxl(std::string_view head);

/// Whether this program was built with the library.
bool readsHeif();
bool readsJxl();

/// The primary image, with its rotation, mirroring and cropping applied: EXIF's orientation, which
/// the container overrides, is not. Grids of tiles are one image. Failures: UnsupportedFile (built
/// without libheif, no decoder for its kind, more than kMaxImagePixels), InvalidFile.
ImageHeader readHeifHeader(std::string_view bytes);
/// In 8 bits, whatever it has.
StoredPixels decodeHeif(std::string_view bytes, const ImageHeader& header);

/// Upright; lossy ones in sRGB, lossless ones in their own color space, as PNGs are read. Failures
/// likewise; an animation is UnsupportedFile. Of a damaged file Debian's libjxl itself writes a line to
/// the standard error.
ImageHeader readJxlHeader(std::string_view bytes);
StoredPixels decodeJxl(std::string_view bytes, const ImageHeader& header);

}  // namespace headlight
