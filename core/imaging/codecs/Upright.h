// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What decoding a whole image and decoding a part of one share. Private to imaging.

#include "core/imaging/codecs/Decoders.h"
#include "core/imaging/codecs/Image.h"

namespace headlight {

/// Throws Failure (UnsupportedFile) for more than kMaxImageBytes.
void requireImageBytes(std::string_view bytes);

/// By the decoder of its format, whole, as stored.
StoredPixels decodeStored(std::string_view bytes, const ImageHeader& header);

/// Whether EXIF's orientation (1 … 8) makes rows of columns.
bool swapsSides(int orientation);
/// The upright image of pixels as stored, header.width × header.height of them.
Image uprighted(StoredPixels stored, const ImageHeader& header);

}  // namespace headlight
