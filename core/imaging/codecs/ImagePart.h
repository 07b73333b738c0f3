// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A part of an image that was decoded without the rest, perhaps reduced: what random crops are
// taken from.

#include <array>
#include <functional>
#include <string>

#include "core/imaging/codecs/Image.h"

namespace headlight {

/// `image` is what lies at (left, top) of an image of width × height; both are the original's
/// reduced to eighths/8 (JPEG's own scaling; rounded up).
struct ImagePart {
  Image image;
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  int eighths = 8;        ///< 1 … 8
  int originalWidth = 0;  ///< upright
  int originalHeight = 0;

  ImagePart() = default;
  /// All of it.
  ImagePart(Image whole)  // NOLINT(google-explicit-constructor): a whole is a part
      : image(std::move(whole)),
        width(image.width),
        height(image.height),
        originalWidth(image.width),
        originalHeight(image.height) {}
};

/// Which pixels (left, top, right, bottom) of the image reduced to eighths/8 are wanted.
struct PartChoice {
  int eighths = 8;
  std::array<int, 4> pixels{};
};
/// Asked with the size of the upright original, once it is known.
using ChoosePart = std::function<PartChoice(int width, int height)>;

/// At least the part chosen, each pixel the one that decodeImage gives (or would, of the reduced
/// image). Only of JPEGs less than all is decoded: an upright one that is not progressive in
/// part, any of them reduced, but for one that EXIF mirrors along a side that does not divide
/// evenly, which would begin with a part of a pixel: it is whole. What is damaged is refused as by
/// decodeImage, wherever the damage lies. Errors as there; InvalidArgument for a choice outside of
/// the image.
Result<ImagePart> decodeImagePart(std::string_view bytes, const std::string& name,
                                  const ChoosePart& choose);
Result<ImagePart> readImagePart(const std::filesystem::path& path, const ChoosePart& choose);

}  // namespace headlight
