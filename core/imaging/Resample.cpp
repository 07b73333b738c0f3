#include "core/imaging/Resample.h"

#include <algorithm>
#include <cmath>

#include "core/imaging/Bytes.h"

namespace headlight {
namespace {

using Pixels = std::vector<std::uint8_t>;

constexpr int kPrecisionBits = 22;  // 32 less 8 for the pixel and 2 for a filter's overshoot
constexpr std::int32_t kHalf = 1 << (kPrecisionBits - 1);
constexpr double kMaxTemporaryBytes = 256.0 * 1024 * 1024;

/// One axis: the output range [begin, begin + count) of `full` samples of the input [low, high).
struct Axis {
  double low;
  double high;
  std::int64_t full;
  std::int64_t begin;
  int count;
  int inputSize;

  double scale() const { return (high - low) / static_cast<double>(full); }
};

double triangle(double x) {
  return std::max(0.0, 1.0 - std::abs(x));
}

/// Keys' cubic with a = −1/2.
double cubic(double x) {
  x = std::abs(x);
  if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
  if (x < 2) return ((-0.5 * x + 2.5) * x - 4) * x + 2;
  return 0;
}

double supportOf(Interpolation interpolation, double scale) {
  return (interpolation == Interpolation::Bicubic ? 2.0 : 1.0) * std::max(scale, 1.0);
}

/// For each output sample the inputs [first, first + count) and their weights.
struct Weights {
  struct Span {
    int first;
    int count;
  };
  std::vector<Span> spans;
  std::vector<std::int32_t> values;  // spans.size() × stride
  std::size_t stride = 0;

  const std::int32_t* of(std::size_t i) const { return values.data() + i * stride; }
};

double weightBytes(const Axis& axis, Interpolation interpolation) {
  return (2 * std::ceil(supportOf(interpolation, axis.scale())) + 1) * axis.count * 4;
}

Weights weightsFor(const Axis& axis, Interpolation interpolation) {
  const double scale = axis.scale();
  const double shrink = 1.0 / std::max(scale, 1.0);
  const double support = supportOf(interpolation, scale);
  const auto filter = interpolation == Interpolation::Bicubic ? cubic : triangle;
  Weights weights;
  weights.stride = static_cast<std::size_t>(std::ceil(support)) * 2 + 1;
  weights.spans.reserve(static_cast<std::size_t>(axis.count));
  weights.values.resize(static_cast<std::size_t>(axis.count) * weights.stride);
  std::vector<double> exact(weights.stride);
  for (int i = 0; i < axis.count; ++i) {
    const double center = axis.low + (static_cast<double>(axis.begin + i) + 0.5) * scale;
    const int first = std::max(0, static_cast<int>(center - support + 0.5));
    const int last = std::min(axis.inputSize, static_cast<int>(center + support + 0.5));
    double sum = 0;
    for (int k = 0; k < last - first; ++k) {
      exact[static_cast<std::size_t>(k)] = filter((k + first - center + 0.5) * shrink);
      sum += exact[static_cast<std::size_t>(k)];
    }
    std::int32_t* out = weights.values.data() + static_cast<std::size_t>(i) * weights.stride;
    for (int k = 0; k < last - first; ++k) {
      const double share = sum == 0 ? 0 : exact[static_cast<std::size_t>(k)] / sum;
      out[k] = static_cast<std::int32_t>(std::lround(share * (1 << kPrecisionBits)));
    }
    weights.spans.push_back({first, last - first});
  }
  return weights;
}

std::uint8_t toByte(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> kPrecisionBits, 0, 255));
}

void resampleRow(const std::uint8_t* in, std::uint8_t* out, const Weights& weights) {
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
                       const Weights& weights) {
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

/// The input sample under each output sample's centre. Positions are summed up, not multiplied,
/// because a centre may fall on an input's edge and Pillow's rounding decides there.
std::vector<int> nearestSamples(const Axis& axis) {
  constexpr std::int64_t kSummedAtMost = 1 << 20;
  const double scale = axis.scale();
  const bool summed = axis.begin < kSummedAtMost;
  double position = axis.low + scale * 0.5;
  if (summed)
    for (std::int64_t i = 0; i < axis.begin; ++i)
      position += scale;
  else
    position += scale * static_cast<double>(axis.begin);
  std::vector<int> samples(static_cast<std::size_t>(axis.count));
  for (int& sample : samples) {
    sample = std::clamp(static_cast<int>(std::floor(position)), 0, axis.inputSize - 1);
    position += scale;
  }
  return samples;
}

Pixels resampleNearest(const Image& image, const Axis& across, const Axis& down) {
  const std::vector<int> columns = nearestSamples(across);
  const std::vector<int> rows = nearestSamples(down);
  Pixels out(columns.size() * rows.size() * 3);
  std::uint8_t* target = out.data();
  for (const int y : rows)
    for (const int x : columns)
      target = std::copy_n(image.row(y) + static_cast<std::size_t>(x) * 3, 3, target);
  return out;
}

Pixels resampleFiltered(const Image& image, const Axis& across, const Axis& down,
                        Interpolation interpolation) {
  const Weights horizontal = weightsFor(across, interpolation);
  const Weights vertical = weightsFor(down, interpolation);
  const int firstRow = vertical.spans.front().first;
  const int lastRow = vertical.spans.back().first + vertical.spans.back().count;
  const std::size_t rowBytes = horizontal.spans.size() * 3;
  Pixels between(static_cast<std::size_t>(lastRow - firstRow) * rowBytes);
  for (int y = firstRow; y < lastRow; ++y)
    resampleRow(image.row(y), between.data() + static_cast<std::size_t>(y - firstRow) * rowBytes,
                horizontal);
  return resampleColumns(between, firstRow, rowBytes, vertical);
}

/// Whether weights and intermediate rows stay within kMaxTemporaryBytes.
bool affordable(const Axis& across, const Axis& down, Interpolation interpolation) {
  const double inputRows = std::min<double>(
      down.inputSize, down.scale() * down.count + 2 * supportOf(interpolation, down.scale()) + 2);
  return inputRows * across.count * 3 < kMaxTemporaryBytes &&
         weightBytes(across, interpolation) + weightBytes(down, interpolation) < kMaxTemporaryBytes;
}

void requireSaneResampling(const Image& image, const std::array<double, 4>& box,
                           const ResampleWindow& window) {
  if (image.empty() || !image.pixels)
    refuse(ErrorCode::InvalidArgument, "an empty picture cannot be resized");
  const auto& [left, top, right, bottom] = box;
  if (!(left >= 0 && top >= 0 && left < right && top < bottom && right <= image.width &&
        bottom <= image.height))
    refuse(ErrorCode::InvalidArgument, "the region to resize is empty or not inside the picture");
  if (window.width <= 0 || window.height <= 0 ||
      std::int64_t{window.width} * window.height > kMaxImagePixels)
    refuse(ErrorCode::InvalidArgument, "a picture cannot be resized to " +
                                           std::to_string(window.width) + " x " +
                                           std::to_string(window.height) + " pixels");
}

}  // namespace

Image resample(const Image& image, const std::array<double, 4>& box, std::int64_t fullWidth,
               std::int64_t fullHeight, const ResampleWindow& window, Interpolation interpolation) {
  requireSaneResampling(image, box, window);
  const Axis across{box[0], box[2], fullWidth, window.left, window.width, image.width};
  const Axis down{box[1], box[3], fullHeight, window.top, window.height, image.height};
  const bool nearest =
      interpolation == Interpolation::Nearest || !affordable(across, down, interpolation);
  Image result;
  result.width = window.width;
  result.height = window.height;
  result.pixels = std::make_shared<const Pixels>(
      nearest ? resampleNearest(image, across, down)
              : resampleFiltered(image, across, down, interpolation));
  return result;
}

}  // namespace headlight
