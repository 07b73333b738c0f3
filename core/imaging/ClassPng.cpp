// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/ClassPng.h"

#include <png.h>

#include <algorithm>

#include "core/base/Translation.h"

namespace headlight {
namespace {

/// What is said of an image without a file.
constexpr const char* kClassImageName = "class image";

png_image headerOf(const ClassImage& image) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_RGB_COLORMAP;
  header.colormap_entries = 256;  // fewer would be packed into fewer bits
  return header;
}

bool isWhole(const ClassImage& image) {
  return image.width > 0 && image.height > 0 &&
         image.classes.size() == static_cast<std::size_t>(image.width) * image.height;
}

}  // namespace

Result<std::string> encodeClassPng(const ClassImage& image, const ClassPalette& palette) {
  if (!isWhole(image))
    return Error{ErrorCode::InvalidArgument, tr("has no class for every pixel"), kClassImageName};
  png_image header = headerOf(image);
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(header);
  std::string png(bytes, '\0');
  if (!png_image_write_to_memory(&header, png.data(), &bytes, /*convert_to_8bit=*/0,
                                 image.classes.data(), image.width, palette.data()))
    return Error{ErrorCode::Internal,
                 std::string(tr("cannot be written as PNG: ")) + header.message, kClassImageName};
  png.resize(bytes);
  return png;
}

}  // namespace headlight
