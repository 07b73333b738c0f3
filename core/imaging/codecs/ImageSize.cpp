// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/codecs/ImageSize.h"

#include "core/imaging/codecs/ImageHeader.h"

namespace headlight {

Result<ImageSize> readImageSize(std::string_view bytes, const std::string& name) {
  return guarded(name, [&] {
    const ImageHeader header = readImageHeader(bytes);
    return ImageSize{header.width, header.height};
  });
}

}  // namespace headlight
