// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/ClassWheel.h"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

constexpr double kGoldenSection = 0.6180339887498949;
constexpr std::array<double, 3> kSaturations{0.75, 0.5, 0.95};
constexpr std::array<double, 2> kValues{0.95, 0.75};

/// From HSV, all in [0, 1].
ClassColor colorOf(double hue, double saturation, double value) {
  const auto channel = [&](double offset) {
    const double k = std::fmod(offset + 6 * hue, 6.0);
    const double part = std::clamp(std::min(k, 4 - k), 0.0, 1.0);
    return static_cast<std::uint8_t>(255 * value * (1 - saturation * part) + 0.5);
  };
  return {channel(5), channel(3), channel(1)};
}

}  // namespace

std::vector<ClassColor> classWheel(int count) {
  std::vector<ClassColor> colors;
  for (int i = 0; i < count; ++i) {
    const auto place = static_cast<std::size_t>(i);
    colors.push_back(colorOf(std::fmod(i * kGoldenSection, 1.0), kSaturations[place % 3],
                             kValues[place / 3 % 2]));
  }
  return colors;
}

}  // namespace headlight
