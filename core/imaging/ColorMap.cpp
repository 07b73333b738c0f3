// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/ColorMap.h"

#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>

#include "core/base/Translation.h"
#include "core/imaging/ColorTables.h"
#include "core/imaging/codecs/Bytes.h"

namespace headlight {
namespace {

/// Position in the range, [0, 1]; NaN stays NaN.
float relative(float value, const ValueRange& range) {
  if (std::isnan(value)) return value;
  if (range.high > range.low)
    return static_cast<float>(std::clamp((value - range.low) / (range.high - range.low), 0.0, 1.0));
  if (value == range.low) return 0.5f;
  return value < range.low ? 0.0f : 1.0f;
}

void requireSaneMap(const std::vector<float>& values, int rows, int cols, int width, int height) {
  if (rows <= 0 || cols <= 0 || values.size() != static_cast<std::size_t>(rows) * cols)
    refuse(ErrorCode::InvalidArgument, tr("a map of ") + std::to_string(rows) + " x " +
                                           std::to_string(cols) + tr(" cells cannot have ") +
                                           std::to_string(values.size()) + " values");
  if (width <= 0 || height <= 0 || std::int64_t{width} * height > kMaxImagePixels)
    refuse(ErrorCode::InvalidArgument, tr("a map cannot be drawn at ") + std::to_string(width) +
                                           " x " + std::to_string(height) + " pixels");
}

/// A map's positions in its range, rows × cols. In `smooth` maps one NaN would spread over its
/// neighbors, so there it counts as the range's low end.
cv::Mat relativeMap(const std::vector<float>& values, int rows, int cols, const ValueRange& range,
                    bool smooth) {
  cv::Mat map(rows, cols, CV_32F);
  float* out = map.ptr<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    out[i] = relative(values[i], range);
    if (smooth && std::isnan(out[i])) out[i] = 0;
  }
  return map;
}

/// Table indices of every pixel, row by row: `paint(y, indices)`.
template <typename Paint>
void forEachSmoothRow(const cv::Mat& map, int width, int height, Paint&& paint) {
  const bool shrinks = width < map.cols || height < map.rows;
  cv::Mat large;
  cv::resize(map, large, {width, height}, 0, 0, shrinks ? cv::INTER_AREA : cv::INTER_CUBIC);
  std::vector<std::uint16_t> indices(static_cast<std::size_t>(width));
  for (int y = 0; y < height; ++y) {
    const float* in = large.ptr<float>(y);
    for (int x = 0; x < width; ++x)  // a cubic overshoots: clamp
      indices[static_cast<std::size_t>(x)] = colorIndex(std::clamp(in[x], 0.0f, 1.0f));
    paint(y, indices.data());
  }
}

template <typename Paint>
void forEachBlockRow(const cv::Mat& map, int width, int height, Paint&& paint) {
  const auto cellOf = [](std::int64_t pixel, std::int64_t pixels, std::int64_t cells) {
    return static_cast<int>((2 * pixel + 1) * cells / (2 * pixels));
  };
  std::vector<std::uint16_t> indices(static_cast<std::size_t>(width));
  int shown = -1;
  for (int y = 0; y < height; ++y) {
    const int row = cellOf(y, height, map.rows);
    if (row != shown) {
      const float* in = map.ptr<float>(row);
      for (int x = 0; x < width; ++x)
        indices[static_cast<std::size_t>(x)] = colorIndex(in[cellOf(x, width, map.cols)]);
      shown = row;
    }
    paint(y, indices.data());
  }
}

template <typename Paint>
void forEachRow(const cv::Mat& map, int width, int height, bool smooth, Paint&& paint) {
  if (smooth)
    forEachSmoothRow(map, width, height, paint);
  else
    forEachBlockRow(map, width, height, paint);
}

}  // namespace

std::array<std::uint8_t, 3> colorOf(ColorMap map, double value) {
  return colorTable(map)[colorIndex(static_cast<float>(value))];
}

ValueRange valueRange(const std::vector<float>& values, bool aboutZero) {
  ValueRange range{INFINITY, -INFINITY};
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    range.low = std::min<double>(range.low, value);
    range.high = std::max<double>(range.high, value);
  }
  if (range.low > range.high) return {};
  if (!aboutZero) return range;
  const double reach = std::max(std::abs(range.low), std::abs(range.high));
  return {-reach, reach};
}

Image heatmap(const std::vector<float>& values, int rows, int cols, ValueRange range, ColorMap map,
              int width, int height, bool smooth) {
  requireSaneMap(values, rows, cols, width, height);
  const ColorTable& table = colorTable(map);
  auto pixels = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(width) *
                                                            static_cast<std::size_t>(height) * 3);
  std::uint8_t* out = pixels->data();
  forEachRow(relativeMap(values, rows, cols, range, smooth), width, height, smooth,
             [&](int, const std::uint16_t* indices) {
               for (int x = 0; x < width; ++x)
                 out = std::copy_n(table[indices[x]].data(), 3, out);
             });
  return {width, height, std::move(pixels)};
}

std::vector<std::uint8_t> grayMap(const std::vector<float>& values, int rows, int cols,
                                  ValueRange range, int width, int height, bool smooth) {
  requireSaneMap(values, rows, cols, width, height);
  const ColorTable& table = colorTable(ColorMap::Gray);
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width) *
                                   static_cast<std::size_t>(height));
  std::uint8_t* out = pixels.data();
  forEachRow(relativeMap(values, rows, cols, range, smooth), width, height, smooth,
             [&](int, const std::uint16_t* indices) {
               for (int x = 0; x < width; ++x)
                 *out++ = table[indices[x]][0];
             });
  return pixels;
}

Image overlay(const Image& image, const std::vector<float>& values, int rows, int cols,
              ValueRange range, ColorMap map, double opacity, bool smooth) {
  requireSaneMap(values, rows, cols, image.width, image.height);
  const ColorTable& table = colorTable(map);
  // 16 bits of opacity: the rounding error stays below 1/255 and integers are quicker than floats.
  const double fraction = std::isnan(opacity) ? 0 : std::clamp(opacity, 0.0, 1.0);
  const auto share = static_cast<std::uint32_t>(std::lround(fraction * 65536));
  auto pixels = std::make_shared<std::vector<std::uint8_t>>(image.pixels->size());
  std::uint8_t* out = pixels->data();
  forEachRow(relativeMap(values, rows, cols, range, smooth), image.width, image.height, smooth,
             [&](int y, const std::uint16_t* indices) {
               const std::uint8_t* in = image.row(y);
               for (int x = 0; x < image.width; ++x)
                 for (const std::uint32_t color : table[indices[x]]) {
                   const std::uint32_t under = *in++;
                   *out++ = static_cast<std::uint8_t>(
                       (under * (65536 - share) + color * share + 32768) >> 16);
                 }
             });
  return {image.width, image.height, std::move(pixels)};
}

}  // namespace headlight
