// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/segments/SegmentLabels.h"

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/imaging/codecs/Image.h"
#include "core/imaging/codecs/ImageSize.h"
#include "core/imaging/codecs/IndexPng.h"
#include "core/imaging/codecs/Orientation.h"

namespace headlight {
namespace {

std::string sideText(std::int64_t width, std::int64_t height) {
  return std::to_string(width) + " x " + std::to_string(height);
}

[[noreturn]] void refuseLabel(const std::string& message, const std::string& where) {
  throw Failure({ErrorCode::InvalidFile, message, where});
}

[[noreturn]] void refuseAt(const std::string& what, std::size_t place, int width,
                           const std::string& where) {
  const auto across = static_cast<std::size_t>(width);
  refuseLabel(tr("has ") + what + tr(" at (") + std::to_string(place % across) + ", " +
                  std::to_string(place / across) +
                  tr("), which no class has; add it to the table of classes, or as \"ignored\""),
              where);
}

ClassImage fromNumbers(const IndexImage& numbers, const SegmentClasses& classes,
                       const std::string& where) {
  ClassImage image{numbers.width, numbers.height, {}};
  image.classes.reserve(numbers.values.size());
  for (const std::uint16_t number : numbers.values) {
    const int label = classes.ofNumber(number);
    if (label == kNoSegmentClass)
      refuseAt(tr("the number ") + std::to_string(number), image.classes.size(), numbers.width,
               where);
    image.classes.push_back(static_cast<std::uint8_t>(label));
  }
  return image;
}

ClassImage fromColors(const Image& colors, const SegmentClasses& classes,
                      const std::string& where) {
  ClassImage image{colors.width, colors.height, {}};
  const auto count = colors.pixels->size() / 3;
  image.classes.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t* pixel = colors.pixels->data() + 3 * i;
    const int label = classes.ofColor({pixel[0], pixel[1], pixel[2]});
    if (label == kNoSegmentClass)
      refuseAt(tr("the color (") + std::to_string(pixel[0]) + ", " + std::to_string(pixel[1]) +
                   ", " + std::to_string(pixel[2]) + ")",
               i, colors.width, where);
    image.classes.push_back(static_cast<std::uint8_t>(label));
  }
  return image;
}

void requireLabelSize(std::int64_t labelWidth, std::int64_t labelHeight, int width, int height,
                      const std::string& where) {
  if (labelWidth == width && labelHeight == height) return;
  refuseLabel("has " + sideText(labelWidth, labelHeight) + tr(" pixels, but its image has ") +
                  sideText(width, height) + tr("; both need the same size"),
              where);
}

/// The image's orientation for a label image of its pixels as stored; 1: it is upright.
int turnOfLabel(const ImageSize& label, int width, int height, int orientation) {
  const bool swaps = uprightTurn(orientation).transposed;
  const bool asStored =
      label.width == (swaps ? height : width) && label.height == (swaps ? width : height);
  return asStored ? orientation : 1;
}

}  // namespace

ClassImage uprightClasses(ClassImage stored, int orientation) {
  if (orientation == 1) return stored;
  const UprightTurn turn = uprightTurn(orientation);
  ClassImage upright{turn.transposed ? stored.height : stored.width,
                     turn.transposed ? stored.width : stored.height,
                     {}};
  upright.classes.reserve(stored.classes.size());
  for (int y = 0; y < upright.height; ++y)
    for (int x = 0; x < upright.width; ++x) {
      const int across = turn.transposed ? y : x, down = turn.transposed ? x : y;
      const int column = turn.mirrored ? stored.width - 1 - across : across;
      const int row = turn.upsideDown ? stored.height - 1 - down : down;
      upright.classes.push_back(
          stored.classes[std::size_t(row) * std::size_t(stored.width) + std::size_t(column)]);
    }
  return upright;
}

ClassImage segmentsFromPng(std::string_view bytes, const std::string& where,
                           const SegmentClasses& classes, int width, int height, int orientation) {
  const ImageSize size = valueOrThrow(readImageSize(bytes, where));
  const int turn = turnOfLabel(size, width, height, orientation);
  if (turn == 1) requireLabelSize(size.width, size.height, width, height, where);
  if (!isColorPng(bytes) || classes.labelColors.empty())
    return uprightClasses(fromNumbers(valueOrThrow(decodeIndexPng(bytes, where)), classes, where),
                          turn);
  const Image colors = valueOrThrow(decodeImage(bytes, where));
  const ClassImage image = fromColors(withTransparency(colors, true), classes, where);
  // An orientation of its own has turned it.
  ClassImage upright = size.orientation == 1 ? uprightClasses(image, turn) : image;
  requireLabelSize(upright.width, upright.height, width, height, where);
  return upright;
}

Result<ClassImage> readSegments(const std::filesystem::path& path, const SegmentClasses& classes,
                                int width, int height, int orientation) {
  return guarded(path.string(), [&] {
    const std::string bytes = valueOrThrow(readFile(path, kMaxImageBytes));
    return segmentsFromPng(bytes, path.string(), classes, width, height, orientation);
  });
}

}  // namespace headlight
