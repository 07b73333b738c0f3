// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/augment/ColorDistortion.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/data/augment/EnhanceOps.h"

namespace headlight {
namespace {

constexpr double kHueTurns = 36.0 / 255;  // of a turn, at strength 1

/// The channel `offset` (5, 3, 1: red, green, blue) of a color of HSV; `sixths` is its hue.
std::uint8_t channelOfHue(int offset, double sixths, double value, double chroma) {
  const double k = std::fmod(offset + sixths, 6.0);
  const double part = std::clamp(std::min(k, 4 - k), 0.0, 1.0);
  return static_cast<std::uint8_t>(value - chroma * part + 0.5);
}

/// In sixths of a turn, 0 … 6; `chroma` is above 0.
double hueOf(const std::uint8_t* pixel, int greatest, double chroma) {
  const int red = pixel[0], green = pixel[1], blue = pixel[2];
  if (greatest == red) return std::fmod((green - blue) / chroma + 6, 6.0);
  return greatest == green ? (blue - red) / chroma + 2 : (red - green) / chroma + 4;
}

void shiftPixel(std::uint8_t* pixel, double sixths) {
  const auto [least, greatest] = std::minmax({pixel[0], pixel[1], pixel[2]});
  if (least == greatest) return;
  const double chroma = greatest - least, value = greatest;
  const double hue = std::fmod(hueOf(pixel, greatest, chroma) + sixths, 6.0);
  for (int c = 0; c < 3; ++c)
    pixel[c] = channelOfHue(5 - 2 * c, hue, value, chroma);
}

}  // namespace

void shiftHue(EditedImage& image, double turns) {
  const double sixths = 6 * (turns - std::floor(turns));
  for (std::size_t i = 0; i + 2 < image.pixels.size(); i += 3)
    shiftPixel(&image.pixels[i], sixths);
}

void distortColors(RandomStream& draw, double strength, EditedImage& image) {
  using Change = void (*)(EditedImage & image, double factor);
  constexpr std::array<Change, 4> kChanges{enhanceBrightness, enhanceContrast, enhanceColor,
                                           shiftHue};
  for (const std::int64_t place : permutation(std::ssize(kChanges), draw.next())) {
    const Change change = kChanges[static_cast<std::size_t>(place)];
    const double amount = draw.uniform(-strength, strength);
    if (draw.uniform() < 0.5) continue;
    change(image, change == shiftHue ? amount * kHueTurns : std::max(0.0, 1 + amount));
  }
}

}  // namespace headlight
