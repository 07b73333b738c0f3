// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/codecs/ImagePart.h"

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/imaging/codecs/Bytes.h"
#include "core/imaging/codecs/Decoders.h"
#include "core/imaging/codecs/Upright.h"

namespace headlight {
namespace {

void requireInside(const PartChoice& choice, const ImageHeader& upright) {
  const auto& [left, top, right, bottom] = choice.pixels;
  const bool known = choice.eighths >= 1 && choice.eighths <= 8;
  const JpegPart whole = wholeJpeg(upright, known ? choice.eighths : 8);
  if (!known || left < 0 || top < 0 || left >= right || top >= bottom || right > whole.width ||
      bottom > whole.height)
    refuse(ErrorCode::InvalidArgument, tr("the part to decode is empty or not inside the image"));
}

/// As the image is seen, where EXIF turns it.
ImageHeader uprightHeader(ImageHeader header) {
  if (swapsSides(header.orientation)) std::swap(header.width, header.height);
  return header;
}

/// Whether the reduced image begins where the original does. Sides are rounded up at their ends,
/// which EXIF's mirroring makes beginnings.
bool beginsEvenly(const ImageHeader& upright, int eighths) {
  const int turn = upright.orientation;
  const bool across = turn == 2 || turn == 3 || turn == 6 || turn == 7,
             down = turn == 3 || turn == 4 || turn == 7 || turn == 8;
  return (!across || upright.width * eighths % 8 == 0) &&
         (!down || upright.height * eighths % 8 == 0);
}

ImagePart placed(Image image, const JpegPart& at, const JpegPart& whole) {
  ImagePart part;
  part.image = std::move(image);
  part.left = static_cast<int>(at.left);
  part.top = static_cast<int>(at.top);
  part.width = static_cast<int>(whole.width);
  part.height = static_cast<int>(whole.height);
  part.eighths = whole.eighths;
  return part;
}

ImagePart decodeChosen(std::string_view bytes, const ImageHeader& header,
                       const PartChoice& choice) {
  const bool cuts = header.sequential && header.orientation == 1;
  const auto& [left, top, right, bottom] = choice.pixels;
  const JpegPart stored = cuts ? JpegPart{choice.eighths, left, top, right - left, bottom - top}
                               : wholeJpeg(header, choice.eighths);
  ImageHeader decoded = header;
  decoded.width = stored.width;
  decoded.height = stored.height;
  Image image = uprighted({decodeJpegPart(bytes, header, stored)}, decoded);
  return placed(std::move(image), stored, wholeJpeg(uprightHeader(header), choice.eighths));
}

ImagePart decodePart(std::string_view bytes, const ChoosePart& choose) {
  requireImageBytes(bytes);
  const ImageHeader header = readImageHeader(bytes);
  if (header.format != ImageFormat::Jpeg) return uprighted(decodeStored(bytes, header), header);
  const ImageHeader upright = uprightHeader(header);
  const PartChoice choice =
      choose(static_cast<int>(upright.width), static_cast<int>(upright.height));
  requireInside(choice, upright);
  const bool reduces = beginsEvenly(upright, choice.eighths);
  ImagePart part = decodeChosen(bytes, header, reduces ? choice : PartChoice());
  part.originalWidth = static_cast<int>(upright.width);
  part.originalHeight = static_cast<int>(upright.height);
  return part;
}

}  // namespace

Result<ImagePart> decodeImagePart(std::string_view bytes, const std::string& name,
                                  const ChoosePart& choose) {
  auto result = guarded(name, [&] { return decodePart(bytes, choose); });
  if (result) return result;
  Error error = result.error();
  error.where = name;
  return error;
}

Result<ImagePart> readImagePart(const std::filesystem::path& path, const ChoosePart& choose) {
  const Result<std::string> bytes = readFile(path, kMaxImageBytes);
  if (!bytes) return bytes.error();
  return decodeImagePart(*bytes, path.string(), choose);
}

}  // namespace headlight
