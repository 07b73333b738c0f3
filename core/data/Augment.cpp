// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/Augment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/base/Random.h"
#include "core/data/augment/RandAugment.h"
#include "core/imaging/Resample.h"

namespace headlight {
namespace {

// Streams of their own: what is switched on moves no draw of crop, flip and jitter.
constexpr std::uint64_t kRandAugmentPurpose = 0x72616e64ULL;    // "rand"
constexpr std::uint64_t kInterpolationPurpose = 0x696e7470ULL;  // "intp"

constexpr double kReducedAtLeast = 2;  // times the size that is wanted

using Box = std::array<double, 4>;  // left, top, right, bottom, pixels

/// As torchvision's RandomResizedCrop: ten tries for a box that fits, then the greatest centerd one
/// whose aspect ratio is allowed.
Box randomBox(RandomStream& draw, double width, double height, const AugmentOptions& options) {
  const double leastRatio = std::clamp(options.minRatio, 1e-3, 1.0);
  const double leastScale = std::clamp(options.minScale, 1e-4, 1.0);
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double area = width * height * draw.uniform(leastScale, 1.0);
    const double ratio = std::exp(draw.uniform(std::log(leastRatio), -std::log(leastRatio)));
    const double w = std::round(std::sqrt(area * ratio));
    const double h = std::round(std::sqrt(area / ratio));
    if (w < 1 || h < 1 || w > width || h > height) continue;
    const auto left = static_cast<double>(draw.below(static_cast<std::int64_t>(width - w) + 1));
    const auto top = static_cast<double>(draw.below(static_cast<std::int64_t>(height - h) + 1));
    return {left, top, left + w, top + h};
  }
  const double w = std::max(1.0, std::min(width, std::round(height / leastRatio)));
  const double h = std::max(1.0, std::min(height, std::round(width / leastRatio)));
  const double left = std::floor((width - w) / 2);
  const double top = std::floor((height - h) / 2);
  return {left, top, left + w, top + h};
}

void mirror(std::vector<std::uint8_t>& pixels, int width, int height) {
  for (int y = 0; y < height; ++y) {
    std::uint8_t* row = pixels.data() + static_cast<std::size_t>(y) * width * 3;
    for (int left = 0, right = width - 1; left < right; ++left, --right)
      std::swap_ranges(row + 3 * left, row + 3 * left + 3, row + 3 * right);
  }
}

/// Luma of ITU-R 601, as Pillow's "L".
double luma(const std::uint8_t* pixel) {
  return 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2];
}

std::uint8_t blended(double from, double value, double factor) {
  return static_cast<std::uint8_t>(std::clamp(from + (value - from) * factor, 0.0, 255.0) + 0.5);
}

void changeBrightness(std::vector<std::uint8_t>& pixels, double factor) {
  for (std::uint8_t& value : pixels)
    value = blended(0, value, factor);
}

void changeContrast(std::vector<std::uint8_t>& pixels, double factor) {
  double sum = 0;
  for (std::size_t i = 0; i < pixels.size(); i += 3)
    sum += luma(&pixels[i]);
  const double mean = sum / (static_cast<double>(pixels.size()) / 3);
  for (std::uint8_t& value : pixels)
    value = blended(mean, value, factor);
}

void changeSaturation(std::vector<std::uint8_t>& pixels, double factor) {
  for (std::size_t i = 0; i < pixels.size(); i += 3) {
    const double gray = luma(&pixels[i]);
    for (std::size_t c = 0; c < 3; ++c)
      pixels[i + c] = blended(gray, pixels[i + c], factor);
  }
}

/// Brightness, contrast and saturation, each by a factor of 1 ± strength, in a random order.
void jitterColors(RandomStream& draw, double strength, std::vector<std::uint8_t>& pixels) {
  using Change = void (*)(std::vector<std::uint8_t>&, double);
  std::array<Change, 3> changes = {changeBrightness, changeContrast, changeSaturation};
  std::swap(changes[2], changes[draw.below(3)]);
  std::swap(changes[1], changes[draw.below(2)]);
  for (const Change change : changes)
    change(pixels, draw.uniform(std::max(0.0, 1 - strength), 1 + strength));
}

bool fits(const ImagePart& image, const Preprocessing& preprocessing) {
  return image.originalWidth == preprocessing.width && image.originalHeight == preprocessing.height;
}

Box reduced(const Box& box, int eighths) {
  const double scale = eighths / 8.0;
  return {box[0] * scale, box[1] * scale, box[2] * scale, box[3] * scale};
}

int eighthsFor(const Box& box, const AugmentOptions& options, const Preprocessing& preprocessing) {
  return options.jpegScaling ? jpegEighths(box[2] - box[0], box[3] - box[1], preprocessing) : 8;
}

int reducedSide(int side, int eighths) {
  return static_cast<int>((std::int64_t(side) * eighths + 7) / 8);
}

Interpolation cropInterpolation(const AugmentOptions& options, const Preprocessing& preprocessing,
                                std::uint64_t key) {
  if (!options.randomInterpolation) return preprocessing.interpolation;
  RandomStream draw(streamKey({key, kInterpolationPurpose}));
  return draw.below(2) == 0 ? Interpolation::Bilinear : Interpolation::Bicubic;
}

/// The mean color in 8 bits, which timm's moving operations fill with.
RgbColor meanColor(const Preprocessing& preprocessing) {
  RgbColor color;
  for (std::size_t c = 0; c < color.size(); ++c)
    color[c] = static_cast<std::uint8_t>(
        std::clamp(std::nearbyint(255 * double(preprocessing.mean[c])), 0.0, 255.0));
  return color;
}

void applyRandAugment(EditedImage& image, const AugmentOptions& options,
                      const Preprocessing& preprocessing, std::uint64_t key) {
  randAugment(image, *options.randAugment, {preprocessing.interpolation, meanColor(preprocessing)},
              options.randomInterpolation, streamKey({key, kRandAugmentPurpose}));
}

}  // namespace

int jpegEighths(double width, double height, const Preprocessing& preprocessing) {
  const double spare =
      std::min(width / preprocessing.width, height / preprocessing.height) / kReducedAtLeast;
  return spare >= 8 ? 1 : spare >= 4 ? 2 : spare >= 2 ? 4 : 8;
}

ChoosePart choosePart(const AugmentOptions& options, const Preprocessing& preprocessing,
                      std::uint64_t key) {
  return [=](int width, int height) -> PartChoice {
    if (!options.enabled) return {8, {0, 0, width, height}};
    RandomStream draw(key);
    const Box box = randomBox(draw, width, height, options);
    const int eighths = eighthsFor(box, options, preprocessing);
    return {eighths, resampleReach(reducedSide(width, eighths), reducedSide(height, eighths),
                                   reduced(box, eighths), preprocessing.width, preprocessing.height,
                                   cropInterpolation(options, preprocessing, key))};
  };
}

Image augmentedView(const ImagePart& given, const AugmentOptions& options,
                    const Preprocessing& preprocessing, std::uint64_t key) {
  ImagePart image = given;
  image.image = withTransparency(given.image, preprocessing.dropAlpha);
  if (!options.enabled)
    return fits(image, preprocessing) && preprocessing.cropFraction >= 1
               ? image.image
               : evaluationView(image.image, preprocessing);
  RandomStream draw(key);
  const Box box = randomBox(draw, image.originalWidth, image.originalHeight, options);
  const bool whole = box == Box{0, 0, double(image.originalWidth), double(image.originalHeight)};
  Image view =
      whole && fits(image, preprocessing)
          ? image.image
          : resizeBox(image, reduced(box, image.eighths), preprocessing.width, preprocessing.height,
                      cropInterpolation(options, preprocessing, key));
  const bool flip = draw.uniform() < options.flipProbability;
  if (!flip && options.colorJitter <= 0 && !options.randAugment) return view;
  EditedImage edited{view.width, view.height, *view.pixels};
  if (flip) mirror(edited.pixels, edited.width, edited.height);
  if (options.randAugment)
    applyRandAugment(edited, options, preprocessing, key);
  else if (options.colorJitter > 0)
    jitterColors(draw, options.colorJitter, edited.pixels);
  return {edited.width, edited.height,
          std::make_shared<const std::vector<std::uint8_t>>(std::move(edited.pixels))};
}

}  // namespace headlight
