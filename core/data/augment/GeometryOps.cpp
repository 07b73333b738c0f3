// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/augment/GeometryOps.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace headlight {
namespace {

/// Where a target's point is read: (a x + b y + c, d x + e y + f), pixel centers at halves.
struct AffineMap {
  double a, b, c, d, e, f;
};

/// `count` neighbors of a position along one axis, indices held inside, and the rest of it.
template <int count>
struct AxisNeighbors {
  std::array<int, count> at;
  double rest;

  AxisNeighbors(double position, int size) {
    const double below = std::floor(position - 0.5);
    rest = position - 0.5 - below;
    for (int i = 0; i < count; ++i)
      at[i] = std::clamp(static_cast<int>(below) + i - (count / 2 - 1), 0, size - 1);
  }
};

double interpolated(const std::array<double, 2>& v, double rest) {
  return v[0] + (v[1] - v[0]) * rest;
}

/// Keys' cubic with a = −1, which is Pillow's for transforms (for resizing it has −1/2).
double interpolated(const std::array<double, 4>& v, double rest) {
  const double linear = v[2] - v[0];
  const double square = 2 * (v[0] - v[1]) + v[2] - v[3];
  const double cube = v[1] - v[0] + v[3] - v[2];
  return v[1] + rest * (linear + rest * (square + rest * cube));
}

template <int count>
void readBetween(const EditedImage& source, double x, double y, std::uint8_t* pixel) {
  const AxisNeighbors<count> across(x, source.width), down(y, source.height);
  for (int channel = 0; channel < 3; ++channel) {
    std::array<double, count> rows;
    for (int j = 0; j < count; ++j) {
      const std::uint8_t* row = source.row(down.at[j]) + channel;
      std::array<double, count> values;
      for (int i = 0; i < count; ++i)
        values[i] = row[3 * across.at[i]];
      rows[j] = interpolated(values, across.rest);
    }
    pixel[channel] =
        static_cast<std::uint8_t>(std::clamp(interpolated(rows, down.rest), 0.0, 255.0));
  }
}

void readNearest(const EditedImage& source, double x, double y, std::uint8_t* pixel) {
  std::copy_n(source.row(static_cast<int>(y)) + 3 * static_cast<int>(x), 3, pixel);
}

using PixelReader = void (*)(const EditedImage&, double x, double y, std::uint8_t* pixel);

PixelReader readerFor(Interpolation interpolation) {
  if (interpolation == Interpolation::Nearest) return readNearest;
  return interpolation == Interpolation::Bilinear ? readBetween<2> : readBetween<4>;
}

void transform(EditedImage& image, const AffineMap& map, const Resampling& resampling) {
  const PixelReader read = readerFor(resampling.interpolation);
  const EditedImage source = image;
  for (int row = 0; row < image.height; ++row) {
    std::uint8_t* pixel = image.row(row);
    for (int column = 0; column < image.width; ++column, pixel += 3) {
      const double x = map.a * (column + 0.5) + map.b * (row + 0.5) + map.c;
      const double y = map.d * (column + 0.5) + map.e * (row + 0.5) + map.f;
      if (x >= 0 && y >= 0 && x < source.width && y < source.height)
        read(source, x, y, pixel);
      else
        std::copy(resampling.fill.begin(), resampling.fill.end(), pixel);
    }
  }
}

}  // namespace

void shearX(EditedImage& image, double factor, const Resampling& resampling) {
  transform(image, {1, factor, 0, 0, 1, 0}, resampling);
}

void shearY(EditedImage& image, double factor, const Resampling& resampling) {
  transform(image, {1, 0, 0, factor, 1, 0}, resampling);
}

void translateX(EditedImage& image, double share, const Resampling& resampling) {
  transform(image, {1, 0, share * image.width, 0, 1, 0}, resampling);
}

void translateY(EditedImage& image, double share, const Resampling& resampling) {
  transform(image, {1, 0, 0, 0, 1, share * image.height}, resampling);
}

void rotate(EditedImage& image, double degrees, const Resampling& resampling) {
  if (degrees == 0) return;
  const double cosine = std::cos(degrees * std::numbers::pi / 180);
  const double sine = std::sin(degrees * std::numbers::pi / 180);
  const double x = image.width / 2.0, y = image.height / 2.0;
  transform(image,
            {cosine, -sine, x - cosine * x + sine * y, sine, cosine, y - sine * x - cosine * y},
            resampling);
}

}  // namespace headlight
