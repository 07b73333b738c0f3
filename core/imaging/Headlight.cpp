// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/Headlight.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/Text.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr double kGrayKept = 0.28;                         ///< of a pixel's light in the dark
constexpr std::array<double, 3> kWarmLight{255, 190, 90};  ///< RGB
constexpr double kWarmShare = 0.45;

constexpr int kFraction = 16;  ///< bits: integers are quicker than floats

std::uint32_t fixedPoint(double value) {
  return static_cast<std::uint32_t>(value * (1 << kFraction) + 0.5);
}

/// Rec. 601.
int lumaOf(const std::uint8_t* pixel) {
  return (77 * pixel[0] + 150 * pixel[1] + 29 * pixel[2]) >> 8;
}

}  // namespace

const std::vector<MapStyleInfo>& mapStyles() {
  static const std::vector<MapStyleInfo> all{
      {MapStyle::Headlight, "headlight", "the image, lit where attention is high"},
      {MapStyle::Warm, "warm", "as headlight, in warm light"},
      {MapStyle::Overlay, "overlay", "a color map over the image"},
  };
  return all;
}

const std::string& mapStyleName(MapStyle style) {
  return mapStyles()[static_cast<std::size_t>(style)].name;
}

MapStyle nextMapStyle(MapStyle style) {
  return static_cast<MapStyle>((static_cast<std::size_t>(style) + 1) % mapStyles().size());
}

Result<MapStyle> mapStyleFromName(const std::string& name) {
  std::vector<std::string> names;
  for (const MapStyleInfo& info : mapStyles()) {
    if (info.name == name) return info.style;
    names.push_back(info.name);
  }
  return Error{ErrorCode::InvalidArgument,
               tr("unknown style \"") + name + tr("\"; choose one of ") + joined(names), ""};
}

/// In the dark a pixel keeps 1 − dim of its value and dim × kGrayKept of its luma; lit, its value,
/// in a warm light kWarmShare of that of the light.
Lamp::Lamp(const HeadlightOptions& options) {
  const double dim = std::isnan(options.dim) ? 0 : std::clamp(options.dim, 0.0, 1.0);
  const double warm = options.warm ? kWarmShare : 0;
  for (std::size_t i = 0; i < m_levels.size(); ++i) {
    const double lit = static_cast<double>(i) / 255;
    m_levels[i].own = fixedPoint((1 - lit) * (1 - dim) + lit * (1 - warm));
    for (std::size_t c = 0; c < 3; ++c) {
      const double glow = lit * warm * kWarmLight[c];
      m_levels[i].luma[c] = fixedPoint((1 - lit) * dim * kGrayKept + glow * 0.6 / 255);
      m_levels[i].glow[c] = fixedPoint(glow * 0.4 + 0.5);  // and to be rounded
    }
  }
}

void Lamp::lightPixels(std::uint8_t* pixels, const std::uint8_t* light, std::size_t count) const {
  for (std::size_t i = 0; i < count; ++i, pixels += 3) {
    const Level& level = m_levels[light[i]];
    const auto luma = static_cast<std::uint32_t>(lumaOf(pixels));
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t value = pixels[c] * level.own + luma * level.luma[c] + level.glow[c];
      pixels[c] = static_cast<std::uint8_t>(std::min<std::uint32_t>(value >> kFraction, 255));
    }
  }
}

std::vector<std::uint8_t> resizeLight(const std::vector<float>& values, int rows, int cols,
                                      ValueRange range, int width, int height, bool smooth) {
  std::vector<float> numbers = values;
  for (float& value : numbers)
    if (std::isnan(value)) value = static_cast<float>(range.low);
  return grayMap(numbers, rows, cols, range, width, height, smooth);
}

Image headlightImage(const Image& image, const std::vector<float>& values, int rows, int cols,
                     ValueRange range, const HeadlightOptions& options, bool smooth) {
  const auto light = resizeLight(values, rows, cols, range, image.width, image.height, smooth);
  auto pixels = std::make_shared<std::vector<std::uint8_t>>(*image.pixels);
  Lamp(options).lightPixels(pixels->data(), light.data(), light.size());
  return {image.width, image.height, std::move(pixels)};
}

ValueRange rangeOfMost(const std::vector<float>& values, double share) {
  std::vector<float> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite),
               [](float value) { return std::isfinite(value); });
  const ValueRange whole = valueRange(values);
  if (finite.empty()) return whole;
  const double at = std::ceil(std::clamp(share, 0.0, 1.0) * static_cast<double>(finite.size())) - 1;
  const auto nth = finite.begin() + static_cast<std::ptrdiff_t>(std::max(at, 0.0));
  std::nth_element(finite.begin(), nth, finite.end());
  return *nth > whole.low ? ValueRange{whole.low, *nth} : whole;
}

double negativeShare(const std::vector<float>& values) {
  double negative = 0, all = 0;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    all += std::abs(value);
    if (value < 0) negative -= value;
  }
  return all > 0 ? negative / all : 0;
}

}  // namespace headlight
