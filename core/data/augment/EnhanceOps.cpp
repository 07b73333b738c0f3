// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/augment/EnhanceOps.h"

#include <algorithm>

namespace headlight {
namespace {

/// Blends towards 0 … 255 and cuts the fraction off, as Pillow's Image.blend.
std::uint8_t enhanced(int poorer, int value, float factor) {
  const float blend = static_cast<float>(poorer) + factor * static_cast<float>(value - poorer);
  return static_cast<std::uint8_t>(std::clamp(blend, 0.0f, 255.0f));
}

/// Luma of ITU-R 601 in 16-bit fixed point, rounded, as Pillow's "L".
int fixedLuma(const std::uint8_t* pixel) {
  return (19595 * pixel[0] + 38470 * pixel[1] + 7471 * pixel[2] + 0x8000) >> 16;
}

int meanLuma(const EditedImage& image) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < image.pixels.size(); i += 3)
    sum += fixedLuma(&image.pixels[i]);
  return static_cast<int>(
      static_cast<double>(sum) / (static_cast<double>(image.pixels.size()) / 3) + 0.5);
}

void blendWithLevel(EditedImage& image, int level, double factor) {
  std::array<std::uint8_t, 256> table;
  for (int value = 0; value < 256; ++value)
    table[value] = enhanced(level, value, static_cast<float>(factor));
  for (std::uint8_t& value : image.pixels)
    value = table[value];
}

/// Pillow's SMOOTH: a 3 × 3 filter of ones with 5 in the middle. The border stays as it is.
std::vector<std::uint8_t> smoothed(const EditedImage& image) {
  std::vector<std::uint8_t> out = image.pixels;
  const std::ptrdiff_t stride = std::ptrdiff_t{image.width} * 3;
  for (int y = 1; y < image.height - 1; ++y) {
    const std::uint8_t* in = image.row(y);
    std::uint8_t* target = out.data() + y * stride;
    for (std::ptrdiff_t i = 3; i < stride - 3; ++i) {
      int sum = 4 * in[i];
      for (const std::ptrdiff_t line : {i - stride, i, i + stride})
        sum += in[line - 3] + in[line] + in[line + 3];
      target[i] = static_cast<std::uint8_t>((2 * sum + 13) / 26);  // rounded
    }
  }
  return out;
}

}  // namespace

void enhanceBrightness(EditedImage& image, double factor) {
  blendWithLevel(image, 0, factor);
}

void enhanceContrast(EditedImage& image, double factor) {
  blendWithLevel(image, meanLuma(image), factor);
}

void enhanceColor(EditedImage& image, double factor) {
  for (std::size_t i = 0; i < image.pixels.size(); i += 3) {
    const int gray = fixedLuma(&image.pixels[i]);
    for (std::size_t c = i; c < i + 3; ++c)
      image.pixels[c] = enhanced(gray, image.pixels[c], static_cast<float>(factor));
  }
}

void enhanceSharpness(EditedImage& image, double factor) {
  const std::vector<std::uint8_t> smooth = smoothed(image);
  for (std::size_t i = 0; i < smooth.size(); ++i)
    image.pixels[i] = enhanced(smooth[i], image.pixels[i], static_cast<float>(factor));
}

}  // namespace headlight
