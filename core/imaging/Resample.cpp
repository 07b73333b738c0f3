// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/Resample.h"

#include <algorithm>
#include <cmath>

#include "core/base/Translation.h"
#include "core/imaging/ResampleAxis.h"
#include "core/imaging/codecs/Bytes.h"

namespace headlight {
namespace {

using Pixels = std::vector<std::uint8_t>;

constexpr std::int32_t kHalf = 1 << (kPrecisionBits - 1);
constexpr double kMaxTemporaryBytes = 256.0 * 1024 * 1024;

double weightBytes(const ResampleAxis& axis, Interpolation interpolation) {
  return (2 * std::ceil(kernelSupport(interpolation, axis.scale())) + 1) * axis.count * 4;
}

std::uint8_t toByte(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> kPrecisionBits, 0, 255));
}

void resampleRow(const std::uint8_t* in, std::uint8_t* out, const ResampleWeights& weights) {
  for (std::size_t x = 0; x < weights.spans.size(); ++x, out += 3) {
    const auto [first, count] = weights.spans[x];
    const std::int32_t* weight = weights.of(x);
    const std::uint8_t* pixel = in + static_cast<std::size_t>(first) * 3;
    std::int32_t red = kHalf;
    std::int32_t green = kHalf;
    std::int32_t blue = kHalf;
    for (int k = 0; k < count; ++k, pixel += 3) {
      red += pixel[0] * weight[k];
      green += pixel[1] * weight[k];
      blue += pixel[2] * weight[k];
    }
    out[0] = toByte(red);
    out[1] = toByte(green);
    out[2] = toByte(blue);
  }
}

/// `rows` holds input rows from `firstRow` on, `rowBytes` each.
Pixels resampleColumns(const Pixels& rows, int firstRow, std::size_t rowBytes,
                       const ResampleWeights& weights) {
  Pixels out(weights.spans.size() * rowBytes);
  std::vector<std::int32_t> sums(rowBytes);
  for (std::size_t y = 0; y < weights.spans.size(); ++y) {
    const auto [first, count] = weights.spans[y];
    std::fill(sums.begin(), sums.end(), kHalf);
    for (int k = 0; k < count; ++k) {
      const std::uint8_t* in =
          rows.data() + static_cast<std::size_t>(first - firstRow + k) * rowBytes;
      const std::int32_t weight = weights.of(y)[k];
      for (std::size_t i = 0; i < rowBytes; ++i)
        sums[i] += in[i] * weight;
    }
    std::transform(sums.begin(), sums.end(),
                   out.begin() + static_cast<std::ptrdiff_t>(y * rowBytes), toByte);
  }
  return out;
}

Pixels resampleNearest(const Image& image, const ResampleAxis& across, const ResampleAxis& down) {
  const std::vector<int> columns = nearestSamples(across);
  const std::vector<int> rows = nearestSamples(down);
  requireAtHand(columns.front(), columns.back() + 1, across);
  requireAtHand(rows.front(), rows.back() + 1, down);
  Pixels out(columns.size() * rows.size() * 3);
  std::uint8_t* target = out.data();
  for (const int y : rows)
    for (const int x : columns)
      target = std::copy_n(image.row(y) + static_cast<std::size_t>(x) * 3, 3, target);
  return out;
}

Pixels resampleFiltered(const Image& image, const ResampleAxis& across, const ResampleAxis& down,
                        Interpolation interpolation) {
  const ResampleWeights horizontal = weightsFor(across, interpolation);
  const ResampleWeights vertical = weightsFor(down, interpolation);
  const int firstRow = vertical.spans.front().first;
  const int lastRow = vertical.spans.back().first + vertical.spans.back().count;
  requireAtHand(firstRow, lastRow, down);
  requireAtHand(horizontal.spans.front().first,
                horizontal.spans.back().first + horizontal.spans.back().count, across);
  const std::size_t rowBytes = horizontal.spans.size() * 3;
  Pixels between(static_cast<std::size_t>(lastRow - firstRow) * rowBytes);
  for (int y = firstRow; y < lastRow; ++y)
    resampleRow(image.row(y), between.data() + static_cast<std::size_t>(y - firstRow) * rowBytes,
                horizontal);
  return resampleColumns(between, firstRow, rowBytes, vertical);
}

/// Whether weights and intermediate rows stay within kMaxTemporaryBytes.
bool affordable(const ResampleAxis& across, const ResampleAxis& down, Interpolation interpolation) {
  const double inputRows =
      std::min<double>(down.inputSize, down.scale() * down.count +
                                           2 * kernelSupport(interpolation, down.scale()) + 2);
  return inputRows * across.count * 3 < kMaxTemporaryBytes &&
         weightBytes(across, interpolation) + weightBytes(down, interpolation) < kMaxTemporaryBytes;
}

void requireSaneResampling(const ImagePart& image, const std::array<double, 4>& box,
                           const ResampleWindow& window) {
  if (image.image.empty() || !image.image.pixels)
    refuse(ErrorCode::InvalidArgument, tr("an empty image cannot be resized"));
  const auto& [left, top, right, bottom] = box;
  if (!(left >= 0 && top >= 0 && left < right && top < bottom && right <= image.width &&
        bottom <= image.height))
    refuse(ErrorCode::InvalidArgument, tr("the region to resize is empty or not inside the image"));
  if (window.width <= 0 || window.height <= 0 ||
      std::int64_t{window.width} * window.height > kMaxImagePixels)
    refuse(ErrorCode::InvalidArgument, tr("an image cannot be resized to ") +
                                           std::to_string(window.width) + " x " +
                                           std::to_string(window.height) + " pixels");
}

}  // namespace

Image resample(const ImagePart& image, const std::array<double, 4>& box, std::int64_t fullWidth,
               std::int64_t fullHeight, const ResampleWindow& window, Interpolation interpolation) {
  requireSaneResampling(image, box, window);
  const ResampleAxis across{box[0],       box[2],      fullWidth,  window.left,
                            window.width, image.width, image.left, image.image.width};
  const ResampleAxis down{box[1],        box[3],       fullHeight, window.top,
                          window.height, image.height, image.top,  image.image.height};
  const bool nearest =
      interpolation == Interpolation::Nearest || !affordable(across, down, interpolation);
  Image result;
  result.width = window.width;
  result.height = window.height;
  result.pixels = std::make_shared<const Pixels>(
      nearest ? resampleNearest(image.image, across, down)
              : resampleFiltered(image.image, across, down, interpolation));
  return result;
}

std::array<int, 4> resampleReach(int width, int height, const std::array<double, 4>& box,
                                 int toWidth, int toHeight, Interpolation interpolation) {
  const auto reach = [&](const ResampleAxis& axis) {
    const double support = kernelSupport(interpolation, axis.scale());
    const ResampleSpan first = computeSpan(axis, support, 0),
                       last = computeSpan(axis, support, axis.count - 1);
    return std::pair(first.first, last.first + last.count);
  };
  const auto [left, right] = reach({box[0], box[2], toWidth, 0, toWidth, width});
  const auto [top, bottom] = reach({box[1], box[3], toHeight, 0, toHeight, height});
  return {left, top, right, bottom};
}

}  // namespace headlight
