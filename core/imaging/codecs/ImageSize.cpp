// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/codecs/ImageSize.h"

#include "core/imaging/codecs/ImageHeader.h"
#include "core/imaging/codecs/Orientation.h"

namespace headlight {

ImageSize ImageSize::upright() const {
  if (uprightTurn(orientation).transposed) return {height, width};
  return {width, height};
}

Result<ImageSize> readImageSize(std::string_view bytes, const std::string& name) {
  return guarded(name, [&] {
    const ImageHeader header = readImageHeader(bytes);
    return ImageSize{header.width, header.height, header.orientation};
  });
}

}  // namespace headlight
