// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/Preprocess.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/base/Translation.h"
#include "core/imaging/Resample.h"
#include "core/imaging/codecs/Bytes.h"

namespace headlight {
namespace {

constexpr int kPaddedTo = 32;    // multiples of it
constexpr double kMostLong = 4;  // long side of a padded view, in short sides

/// The size after timm's Resize, and the center crop within it.
struct EvaluationGeometry {
  std::int64_t width;
  std::int64_t height;
  ResampleWindow crop;
};

void requireSanePreprocessing(const Preprocessing& preprocessing) {
  const auto [height, width, crop, interpolation, mean, deviation, squash, dropAlpha, pad] =
      preprocessing;
  if (height <= 0 || width <= 0 || std::int64_t{height} * width > kMaxImagePixels)
    refuse(ErrorCode::InvalidArgument, tr("preprocessing to ") + std::to_string(width) + " x " +
                                           std::to_string(height) + tr(" pixels is not possible"));
  if (!(crop > 0 && crop <= 1))
    refuse(ErrorCode::InvalidArgument,
           tr("the crop fraction must be above 0 and at most 1; got ") + std::to_string(crop));
}

/// Python's round(): halves go to the even neighbor.
std::int64_t roundHalfEven(double value) {
  return static_cast<std::int64_t>(std::nearbyint(value));
}

/// floor(size / fraction) ≥ size, so the resized image always covers the crop: no padding arises.
EvaluationGeometry geometryFor(int imageWidth, int imageHeight,
                               const Preprocessing& preprocessing) {
  requireSanePreprocessing(preprocessing);
  if (imageWidth <= 0 || imageHeight <= 0)
    refuse(ErrorCode::InvalidArgument, tr("an empty image cannot be preprocessed"));
  const double scaledWidth = std::floor(preprocessing.width / preprocessing.cropFraction);
  const double scaledHeight = std::floor(preprocessing.height / preprocessing.cropFraction);
  EvaluationGeometry geometry{};
  if (preprocessing.squash) {
    geometry.width = static_cast<std::int64_t>(scaledWidth);
    geometry.height = static_cast<std::int64_t>(scaledHeight);
  } else if (scaledWidth ==
             scaledHeight) {  // torchvision's Resize: the short side exact, the long cut off
    const auto [shortSide, longSide] = std::minmax(imageWidth, imageHeight);
    const auto scaledShort = static_cast<std::int64_t>(scaledWidth);
    const auto scaledLong = static_cast<std::int64_t>(scaledWidth * longSide / shortSide);
    geometry.width = imageWidth <= imageHeight ? scaledShort : scaledLong;
    geometry.height = imageWidth <= imageHeight ? scaledLong : scaledShort;
  } else {  // timm's ResizeKeepRatio: both sides cover
    const double ratio = std::min(imageHeight / scaledHeight, imageWidth / scaledWidth);
    geometry.width = roundHalfEven(imageWidth / ratio);
    geometry.height = roundHalfEven(imageHeight / ratio);
  }
  geometry.crop.width = preprocessing.width;
  geometry.crop.height = preprocessing.height;
  geometry.crop.left =
      roundHalfEven(static_cast<double>(geometry.width - preprocessing.width) / 2.0);
  geometry.crop.top =
      roundHalfEven(static_cast<double>(geometry.height - preprocessing.height) / 2.0);
  return geometry;
}

std::size_t planeValues(const Image& view) {
  return std::size_t(3) * static_cast<std::size_t>(view.width) *
         static_cast<std::size_t>(view.height);
}

int paddedSide(int side) {
  return (side + kPaddedTo - 1) / kPaddedTo * kPaddedTo;
}

/// The whole image at the upper left of padding.
Image paddedImage(const Image& image, const PaddedSize& size, Interpolation interpolation) {
  Image shown = resize(image, size.width, size.height, interpolation);
  if (size.width == size.wholeWidth && size.height == size.wholeHeight) return shown;
  const auto count = std::size_t(size.wholeWidth) * std::size_t(size.wholeHeight);
  auto pixels = std::make_shared<std::vector<std::uint8_t>>(3 * count, kPaddedPixel);
  for (int y = 0; y < size.height; ++y)
    std::copy_n(shown.pixels->begin() + std::ptrdiff_t(3) * y * size.width, 3 * size.width,
                pixels->begin() + std::ptrdiff_t(3) * y * size.wholeWidth);
  return {size.wholeWidth, size.wholeHeight, std::move(pixels)};
}

/// With as many pixels as the original has.
Image paddedPixels(const Image& image, const Preprocessing& preprocessing, int most) {
  const PaddedSize size = paddedSize(image.width, image.height, preprocessing);
  const double scale = std::min(double(image.width) / size.width,
                                double(most) / std::max(size.wholeWidth, size.wholeHeight));
  if (scale <= 1) return paddedImage(image, size, preprocessing.interpolation);
  const auto scaled = [&](int side) { return static_cast<int>(std::lround(side * scale)); };
  return paddedImage(
      image,
      {scaled(size.width), scaled(size.height), scaled(size.wholeWidth), scaled(size.wholeHeight)},
      Interpolation::Bicubic);
}

}  // namespace

PaddedSize paddedSize(int imageWidth, int imageHeight, const Preprocessing& preprocessing) {
  requireSanePreprocessing(preprocessing);
  if (imageWidth <= 0 || imageHeight <= 0)
    refuse(ErrorCode::InvalidArgument, tr("an empty image cannot be preprocessed"));
  const double side = std::min(preprocessing.width, preprocessing.height);
  const double scale = std::min(side / std::min(imageWidth, imageHeight),
                                kMostLong * side / std::max(imageWidth, imageHeight));
  const auto scaled = [&](int pixels) {
    return std::max(1, static_cast<int>(pixels * scale + 0.5));
  };
  PaddedSize size{scaled(imageWidth), scaled(imageHeight)};
  size.wholeWidth = paddedSide(size.width);
  size.wholeHeight = paddedSide(size.height);
  return size;
}

ViewSize evaluationSize(int imageWidth, int imageHeight, const Preprocessing& preprocessing) {
  if (!preprocessing.pad) return {preprocessing.width, preprocessing.height};
  const PaddedSize size = paddedSize(imageWidth, imageHeight, preprocessing);
  return {size.wholeWidth, size.wholeHeight};
}

Preprocessing ofOneSize(Preprocessing preprocessing) {
  if (!preprocessing.pad) return preprocessing;
  preprocessing.pad = false;
  preprocessing.squash = true;
  preprocessing.cropFraction = 1;
  return preprocessing;
}

Image resizeBox(const ImagePart& image, std::array<double, 4> box, int width, int height,
                Interpolation interpolation) {
  return resample(image, box, width, height, {0, 0, width, height}, interpolation);
}

Image resize(const Image& image, int width, int height, Interpolation interpolation) {
  if (!image.empty() && image.width == width && image.height == height) return image;
  return resizeBox(image, {0, 0, double(image.width), double(image.height)}, width, height,
                   interpolation);
}

Image evaluationView(const Image& given, const Preprocessing& preprocessing) {
  const Image image = withTransparency(given, preprocessing.dropAlpha);
  if (preprocessing.pad)
    return paddedImage(image, paddedSize(image.width, image.height, preprocessing),
                       preprocessing.interpolation);
  const EvaluationGeometry geometry = geometryFor(image.width, image.height, preprocessing);
  return resample(image, {0, 0, double(image.width), double(image.height)}, geometry.width,
                  geometry.height, geometry.crop, preprocessing.interpolation);
}

std::array<double, 4> evaluationRegion(int imageWidth, int imageHeight,
                                       const Preprocessing& preprocessing) {
  if (preprocessing.pad) {
    const PaddedSize size = paddedSize(imageWidth, imageHeight, preprocessing);
    return {0, 0, double(size.wholeWidth) * imageWidth / size.width,
            double(size.wholeHeight) * imageHeight / size.height};
  }
  const EvaluationGeometry geometry = geometryFor(imageWidth, imageHeight, preprocessing);
  const double across = imageWidth / static_cast<double>(geometry.width);
  const double down = imageHeight / static_cast<double>(geometry.height);
  return {static_cast<double>(geometry.crop.left) * across,
          static_cast<double>(geometry.crop.top) * down, geometry.crop.width * across,
          geometry.crop.height * down};
}

Image evaluationPixels(const Image& given, const Preprocessing& preprocessing, int most) {
  const Image image = withTransparency(given, preprocessing.dropAlpha);
  if (preprocessing.pad) return paddedPixels(image, preprocessing, most);
  const auto [left, top, across, down] = evaluationRegion(image.width, image.height, preprocessing);
  const double width = preprocessing.width, height = preprocessing.height;
  const double scale =
      std::min(std::max(across / width, down / height), most / std::max(width, height));
  if (scale <= 1) return evaluationView(image, preprocessing);
  return resizeBox(image,
                   {left, top, std::min<double>(left + across, image.width),
                    std::min<double>(top + down, image.height)},
                   static_cast<int>(std::lround(width * scale)),
                   static_cast<int>(std::lround(height * scale)), Interpolation::Bicubic);
}

void normalize(const Image& view, const Preprocessing& preprocessing, std::span<float> planes) {
  const bool fits = preprocessing.pad ||
                    (view.width == preprocessing.width && view.height == preprocessing.height);
  if (!fits || !view.pixels || planes.size() != planeValues(view))
    refuse(ErrorCode::InvalidArgument, tr("the image does not have the model's input size"));
  const std::size_t area = planes.size() / 3;
  for (std::size_t channel = 0; channel < 3; ++channel) {
    std::array<float, 256> table;
    for (std::size_t value = 0; value < table.size(); ++value)
      table[value] = (static_cast<float>(value) / 255.0f - preprocessing.mean[channel]) /
                     preprocessing.deviation[channel];
    const std::uint8_t* in = view.pixels->data() + channel;
    float* out = planes.data() + channel * area;
    for (std::size_t i = 0; i < area; ++i)
      out[i] = table[in[3 * i]];
  }
}

std::vector<float> normalize(const Image& view, const Preprocessing& preprocessing) {
  std::vector<float> planes(planeValues(view));
  normalize(view, preprocessing, planes);
  return planes;
}

std::vector<float> preprocess(const Image& image, const Preprocessing& preprocessing) {
  return normalize(evaluationView(image, preprocessing), preprocessing);
}

}  // namespace headlight
