// SPDX-License-Identifier: GPL-3.0-or-later

// Decoders.h: what formats with an alpha channel share.

#include "core/imaging/codecs/Decoders.h"

namespace headlight {

StoredPixels withoutAlpha(const Pixels& rgba) {
  StoredPixels stored{Pixels(rgba.size() / 4 * 3), Pixels(rgba.size() / 4 * 3)};
  bool transparent = false;
  for (std::size_t i = 0, o = 0; i < rgba.size(); i += 4) {
    transparent = transparent || rgba[i + 3] != 255;
    for (std::size_t c = 0; c < 3; ++c, ++o) {
      stored.pixels[o] = overWhite(rgba[i + c], rgba[i + 3]);
      stored.alphaDropped[o] = rgba[i + c];
    }
  }
  if (!transparent) stored.alphaDropped = {};
  return stored;
}

}  // namespace headlight
