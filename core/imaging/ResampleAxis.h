// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One axis of a resampling: which inputs make each output, and by what weights. Private to imaging.

#include <cstdint>
#include <vector>

#include "core/imaging/Preprocess.h"

namespace headlight {

inline constexpr int kPrecisionBits = 22;  // 32 less 8 for the pixel and 2 for a filter's overshoot

/// One axis: the output range [begin, begin + count) of `full` samples of the input [low, high).
struct ResampleAxis {
  double low;
  double high;
  std::int64_t full;
  std::int64_t begin;
  int count;
  int inputSize;
  int origin = 0;  ///< the first of the inputs that are at hand, `available` of them
  int available = inputSize;

  double scale() const { return (high - low) / static_cast<double>(full); }
};

struct ResampleSpan {
  int first;
  int count;
};

/// Half the inputs that an output looks at, where `scale` inputs come on one output.
double kernelSupport(Interpolation interpolation, double scale);

/// The inputs that output sample `i` of the axis is made from.
ResampleSpan computeSpan(const ResampleAxis& axis, double support, std::int64_t i);

/// For each output sample the inputs [first, first + count), counted from the axis' origin, and
/// their weights.
struct ResampleWeights {
  std::vector<ResampleSpan> spans;
  std::vector<std::int32_t> values;  // spans.size() × stride
  std::size_t stride = 0;

  const std::int32_t* of(std::size_t i) const { return values.data() + i * stride; }
};

ResampleWeights weightsFor(const ResampleAxis& axis, Interpolation interpolation);

/// The input sample under each output sample's center. Positions are summed up, not multiplied,
/// because a center may fall on an input's edge and Pillow's rounding decides there.
std::vector<int> nearestSamples(const ResampleAxis& axis);

/// Throws Failure(InvalidArgument) unless the part holds the inputs [first, last), counted from the
/// axis' origin.
void requireAtHand(int first, int last, const ResampleAxis& axis);

}  // namespace headlight
