// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/boxes/BoxAugment.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "core/base/Random.h"
#include "core/data/augment/ColorDistortion.h"
#include "core/data/boxes/BoxCrop.h"
#include "core/data/boxes/BoxGeometry.h"

namespace headlight {
namespace {

// Streams of their own: what is switched on moves no draw of the others.
constexpr std::uint64_t kCropStream = 0x63726f70ULL;           // "crop"
constexpr std::uint64_t kFlipStream = 0x666c6970ULL;           // "flip"
constexpr std::uint64_t kColorStream = 0x636f6c6fULL;          // "colo"
constexpr std::uint64_t kInterpolationStream = 0x696e7470ULL;  // "intp"

EditedImage cutOut(const Image& image, const PixelBox& crop) {
  const int left = static_cast<int>(crop.x), top = static_cast<int>(crop.y);
  EditedImage part{static_cast<int>(crop.width), static_cast<int>(crop.height), {}};
  const auto rowBytes = static_cast<std::size_t>(part.width) * 3;
  part.pixels.resize(rowBytes * static_cast<std::size_t>(part.height));
  for (int y = 0; y < part.height; ++y)
    std::memcpy(part.row(y), image.row(top + y) + 3 * static_cast<std::size_t>(left), rowBytes);
  return part;
}

void mirrorRows(EditedImage& image) {
  for (int y = 0; y < image.height; ++y)
    for (int left = 0, right = image.width - 1; left < right; ++left, --right)
      std::swap_ranges(image.row(y) + 3 * left, image.row(y) + 3 * left + 3,
                       image.row(y) + 3 * right);
}

Interpolation interpolationFor(const BoxAugmentOptions& options, const Preprocessing& preprocessing,
                               std::uint64_t key) {
  if (!options.randomInterpolation) return preprocessing.interpolation;
  RandomStream draw(streamKey({key, kInterpolationStream}));
  return draw.below(2) == 0 ? Interpolation::Bilinear : Interpolation::Bicubic;
}

Image imageOf(EditedImage edited) {
  return {edited.width, edited.height,
          std::make_shared<const std::vector<std::uint8_t>>(std::move(edited.pixels))};
}

}  // namespace

BoxedImage augmentBoxed(const BoxedImage& whole, const BoxAugmentOptions& options,
                        const Preprocessing& preprocessing, std::uint64_t key) {
  const Image image = withTransparency(whole.image, preprocessing.dropAlpha);
  PixelBox region{0, 0, double(image.width), double(image.height)};
  LabeledBoxes boxes = boxesInView(whole.boxes, region, region.width, region.height);
  if (options.crop) {
    RandomStream draw(streamKey({key, kCropStream}));
    const PixelBox crop = randomBoxCrop(draw, image.width, image.height, boxes);
    if (crop != region) boxes = boxesInCrop(boxes, crop);
    region = crop;
  }
  EditedImage edited = cutOut(image, region);
  if (RandomStream(streamKey({key, kFlipStream})).uniform() < options.flipProbability) {
    mirrorRows(edited);
    boxes = mirroredBoxes(std::move(boxes), region.width);
  }
  if (options.colorJitter > 0) {
    RandomStream draw(streamKey({key, kColorStream}));
    distortColors(draw, options.colorJitter, edited);
  }
  const int width = preprocessing.width, height = preprocessing.height;
  return {resize(imageOf(std::move(edited)), width, height,
                 interpolationFor(options, preprocessing, key)),
          boxesInView(boxes, {0, 0, region.width, region.height}, width, height)};
}

BoxedImage evaluationBoxed(const BoxedImage& whole, const Preprocessing& preprocessing) {
  const auto [left, top, width, height] =
      evaluationRegion(whole.image.width, whole.image.height, preprocessing);
  return {evaluationView(whole.image, preprocessing),
          boxesInView(whole.boxes, {left, top, width, height}, preprocessing.width,
                      preprocessing.height)};
}

}  // namespace headlight
