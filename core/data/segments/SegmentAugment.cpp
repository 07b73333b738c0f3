// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/segments/SegmentAugment.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/base/Random.h"
#include "core/base/Translation.h"
#include "core/data/augment/ColorDistortion.h"
#include "core/data/segments/ClassResize.h"
#include "core/imaging/Resample.h"

namespace headlight {
namespace {

// Streams of their own: what is switched on moves no draw of the others.
constexpr std::uint64_t kScaleStream = 0x7363616cULL;         // "scal"
constexpr std::uint64_t kSegmentCropStream = 0x63726f70ULL;   // "crop"
constexpr std::uint64_t kSegmentFlipStream = 0x666c6970ULL;   // "flip"
constexpr std::uint64_t kSegmentColorStream = 0x636f6c6fULL;  // "colo"

constexpr int kLeastTenths = 5, kMostTenths = 20;  // of the size, for the short side
constexpr double kMostLong = 4;                    // of the size, for the long side

struct Sides {
  int width = 0, height = 0;
};

int shortSide(const SegmentAugmentOptions& options, int size, std::uint64_t key) {
  if (!options.scales) return size;
  RandomStream draw(streamKey({key, kScaleStream}));
  const auto tenths = kLeastTenths + static_cast<int>(draw.below(kMostTenths - kLeastTenths + 1));
  return std::max(1, size * tenths / 10);
}

/// As detectron2's ResizeShortestEdge.
Sides scaledSides(int width, int height, double shortSide, double mostLong) {
  double scale = shortSide / std::min(width, height);
  scale = std::min(scale, mostLong / std::max(width, height));
  const auto scaled = [&](int side) { return std::max(1, static_cast<int>(side * scale + 0.5)); };
  return {scaled(width), scaled(height)};
}

ResampleWindow drawnWindow(const Sides& full, const Preprocessing& preprocessing,
                           std::uint64_t key) {
  RandomStream draw(streamKey({key, kSegmentCropStream}));
  ResampleWindow window{0, 0, std::min(full.width, preprocessing.width),
                        std::min(full.height, preprocessing.height)};
  window.top = draw.below(full.height - window.height + 1);
  window.left = draw.below(full.width - window.width + 1);
  return window;
}

EditedImage editable(const Image& image) {
  return {image.width, image.height, *image.pixels};
}

void mirrorBoth(EditedImage& image, ClassImage& segments) {
  for (int y = 0; y < image.height; ++y) {
    const auto row = segments.classes.begin() + std::ptrdiff_t(y) * image.width;
    std::reverse(row, row + image.width);
    for (int left = 0, right = image.width - 1; left < right; ++left, --right)
      std::swap_ranges(image.row(y) + 3 * left, image.row(y) + 3 * left + 3,
                       image.row(y) + 3 * right);
  }
}

/// At the upper left of classes that are ignored.
ClassImage paddedClasses(const ClassImage& segments, int width, int height) {
  ClassImage whole{width, height, {}};
  whole.classes.assign(std::size_t(width) * std::size_t(height), kIgnoredClass);
  for (int y = 0; y < segments.height; ++y)
    std::copy_n(segments.classes.begin() + std::ptrdiff_t(y) * segments.width, segments.width,
                whole.classes.begin() + std::ptrdiff_t(y) * width);
  return whole;
}

SegmentedImage padded(const EditedImage& image, const ClassImage& segments,
                      const Preprocessing& preprocessing) {
  const Sides sides{preprocessing.width, preprocessing.height};
  const auto count = static_cast<std::size_t>(sides.width) * static_cast<std::size_t>(sides.height);
  auto pixels = std::make_shared<std::vector<std::uint8_t>>(3 * count, kPaddedPixel);
  for (int y = 0; y < image.height; ++y)
    std::copy_n(image.row(y), 3 * image.width,
                pixels->begin() + std::ptrdiff_t(3) * y * sides.width);
  return {{sides.width, sides.height, std::move(pixels)},
          paddedClasses(segments, sides.width, sides.height)};
}

void requireSameSize(const SegmentedImage& whole) {
  const ClassImage& segments = whole.segments;
  if (segments.width == whole.image.width && segments.height == whole.image.height &&
      segments.classes.size() ==
          static_cast<std::size_t>(segments.width) * static_cast<std::size_t>(segments.height))
    return;
  throw Failure({ErrorCode::InvalidArgument, tr("have another size than their image"), "segments"});
}

}  // namespace

SegmentedImage augmentSegmented(const SegmentedImage& whole, const SegmentAugmentOptions& options,
                                const Preprocessing& preprocessing, std::uint64_t key) {
  requireSameSize(whole);
  const Image image = withTransparency(whole.image, preprocessing.dropAlpha);
  const int size = std::max(preprocessing.width, preprocessing.height);
  const Sides full =
      scaledSides(image.width, image.height, shortSide(options, size, key), kMostLong * size);
  const ResampleWindow window = drawnWindow(full, preprocessing, key);
  EditedImage edited = editable(resample(image, {0, 0, double(image.width), double(image.height)},
                                         full.width, full.height, window, Interpolation::Bilinear));
  ClassImage segments = nearestClasses(whole.segments, full.width, full.height, window);
  if (options.colorJitter > 0) {
    RandomStream draw(streamKey({key, kSegmentColorStream}));
    distortColors(draw, options.colorJitter, edited);
  }
  if (RandomStream(streamKey({key, kSegmentFlipStream})).uniform() < options.flipProbability)
    mirrorBoth(edited, segments);
  return padded(edited, segments, preprocessing);
}

SegmentedImage evaluationSegmented(const SegmentedImage& whole,
                                   const Preprocessing& preprocessing) {
  requireSameSize(whole);
  if (preprocessing.pad) {
    const PaddedSize size = paddedSize(whole.image.width, whole.image.height, preprocessing);
    const ClassImage shown =
        nearestClasses(whole.segments, size.width, size.height, {0, 0, size.width, size.height});
    return {evaluationView(whole.image, preprocessing),
            paddedClasses(shown, size.wholeWidth, size.wholeHeight)};
  }
  const auto region = evaluationRegion(whole.image.width, whole.image.height, preprocessing);
  return {evaluationView(whole.image, preprocessing),
          nearestClassesOf(whole.segments, region, preprocessing.width, preprocessing.height)};
}

}  // namespace headlight
