// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/segments/ClassResize.h"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

/// The places that `count` pixels from `first` on of `full` ones show in a side of `whole` pixels,
/// of which they have `length` from `begin` on.
std::vector<int> placesOf(double begin, double length, std::int64_t first, int count, double full,
                          int whole) {
  std::vector<int> places;
  for (int i = 0; i < count; ++i) {
    const double center = begin + (double(first + i) + 0.5) * length / full;
    places.push_back(std::clamp(static_cast<int>(std::floor(center)), 0, whole - 1));
  }
  return places;
}

ClassImage picked(const ClassImage& image, const std::vector<int>& columns,
                  const std::vector<int>& rows) {
  ClassImage made{static_cast<int>(columns.size()), static_cast<int>(rows.size()), {}};
  made.classes.reserve(columns.size() * rows.size());
  for (const int y : rows) {
    const auto row = image.classes.begin() + std::ptrdiff_t(y) * image.width;
    for (const int x : columns)
      made.classes.push_back(row[x]);
  }
  return made;
}

}  // namespace

ClassImage nearestClasses(const ClassImage& image, int fullWidth, int fullHeight,
                          const ResampleWindow& window) {
  return picked(image, placesOf(0, image.width, window.left, window.width, fullWidth, image.width),
                placesOf(0, image.height, window.top, window.height, fullHeight, image.height));
}

ClassImage nearestClassesOf(const ClassImage& image, const std::array<double, 4>& region, int width,
                            int height) {
  const auto [left, top, across, down] = region;
  return picked(image, placesOf(left, across, 0, width, width, image.width),
                placesOf(top, down, 0, height, height, image.height));
}

}  // namespace headlight
