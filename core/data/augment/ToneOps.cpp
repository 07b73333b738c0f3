// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/augment/ToneOps.h"

#include <algorithm>

namespace headlight {
namespace {

using ToneTable = std::array<std::uint8_t, 256>;
using Histogram = std::array<std::int64_t, 256>;

ToneTable unchangedTones() {
  ToneTable table;
  for (std::size_t value = 0; value < table.size(); ++value)
    table[value] = static_cast<std::uint8_t>(value);
  return table;
}

/// A table of value → change(value).
template <typename Change>
ToneTable tonesBy(Change change) {
  ToneTable table;
  for (int value = 0; value < 256; ++value)
    table[value] = static_cast<std::uint8_t>(std::clamp(change(value), 0, 255));
  return table;
}

void applyTones(EditedImage& image, const ToneTable& table) {
  for (std::uint8_t& value : image.pixels)
    value = table[value];
}

Histogram histogramOf(const EditedImage& image, std::size_t channel) {
  Histogram histogram{};
  for (std::size_t i = channel; i < image.pixels.size(); i += 3)
    ++histogram[image.pixels[i]];
  return histogram;
}

/// Each channel by the table that `tableFor` makes of its histogram.
void applyByHistogram(EditedImage& image, ToneTable (*tableFor)(const Histogram&)) {
  for (std::size_t channel = 0; channel < 3; ++channel) {
    const ToneTable table = tableFor(histogramOf(image, channel));
    for (std::size_t i = channel; i < image.pixels.size(); i += 3)
      image.pixels[i] = table[image.pixels[i]];
  }
}

ToneTable stretchedTones(const Histogram& histogram) {
  const auto filled = [](std::int64_t count) { return count > 0; };
  const auto low = std::find_if(histogram.begin(), histogram.end(), filled) - histogram.begin();
  const auto high =
      255 - (std::find_if(histogram.rbegin(), histogram.rend(), filled) - histogram.rbegin());
  if (high <= low) return unchangedTones();
  const double scale = 255.0 / static_cast<double>(high - low);
  const double offset = static_cast<double>(-low) * scale;
  return tonesBy([&](int value) { return static_cast<int>(value * scale + offset); });
}

/// As Pillow's equalize: equal steps of the cumulative count, the greatest value's left out.
ToneTable equalizedTones(const Histogram& histogram) {
  std::int64_t total = 0, last = 0;
  for (const std::int64_t count : histogram) {
    total += count;
    if (count > 0) last = count;
  }
  const std::int64_t step = (total - last) / 255;
  if (step == 0) return unchangedTones();
  std::int64_t reached = step / 2;
  return tonesBy([&](int value) {
    const auto tone = static_cast<int>(reached / step);
    reached += histogram[value];
    return tone;
  });
}

}  // namespace

void autoContrast(EditedImage& image) {
  applyByHistogram(image, stretchedTones);
}

void equalize(EditedImage& image) {
  applyByHistogram(image, equalizedTones);
}

void invert(EditedImage& image) {
  applyTones(image, tonesBy([](int value) { return 255 - value; }));
}

void posterize(EditedImage& image, int bits) {
  const int dropped = std::clamp(8 - bits, 0, 8);
  applyTones(image, tonesBy([&](int value) { return value >> dropped << dropped; }));
}

void solarize(EditedImage& image, int threshold) {
  applyTones(image, tonesBy([&](int value) { return value < threshold ? value : 255 - value; }));
}

void solarizeAdd(EditedImage& image, int amount) {
  applyTones(image, tonesBy([&](int value) { return value < 128 ? value + amount : value; }));
}

}  // namespace headlight
