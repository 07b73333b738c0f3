// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/Resample.h"

#include <algorithm>
#include <cmath>

#include "core/base/Translation.h"
#include "core/imaging/ResampleAxis.h"
#include "core/imaging/ResampleLoops.h"
#include "core/imaging/codecs/Bytes.h"

namespace headlight {
namespace {

using Pixels = std::vector<std::uint8_t>;

constexpr double kMaxTemporaryBytes = 256.0 * 1024 * 1024;

double weightBytes(const ResampleAxis& axis, Interpolation interpolation) {
  return (2 * std::ceil(kernelSupport(interpolation, axis.scale())) + 1) * axis.count * 4;
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
  const std::size_t imageBytes = static_cast<std::size_t>(image.width) * 3;
  resampleAcross({image.row(firstRow), imageBytes, lastRow - firstRow}, horizontal, between.data());
  Pixels out(vertical.spans.size() * rowBytes);
  resampleDown({between.data(), rowBytes, lastRow - firstRow}, firstRow, vertical, out.data());
  return out;
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
