// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How far numbers of one device are from those of another, and the numbers that both are given.

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace headlight {

/// Normal random numbers in double on the CPU: the same for a seed, whatever was drawn before.
at::Tensor seededNoise(at::IntArrayRef sizes, std::uint64_t seed);
/// The same, uniform in [0, 1).
at::Tensor seededUniform(at::IntArrayRef sizes, std::uint64_t seed);

/// max |found − expected| / (1 + max |expected|); NaN where one of them is no number. Of tensors of
/// one shape, whatever their types and devices.
double scaledGap(const at::Tensor& found, const at::Tensor& expected);
/// ‖found − expected‖ / ‖expected‖, likewise.
double relativeGap(const at::Tensor& found, const at::Tensor& expected);

}  // namespace headlight
