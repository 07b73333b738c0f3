// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The first two principal components of queries and keys together, in double precision. Torch
// types: core only.

#include <ATen/core/Tensor.h>

#include <array>

namespace headlight {

struct JointPlane {
  at::Tensor queries, keys;        ///< [N, 2], [M, 2]: their mean taken off first
  std::array<double, 2> shares{};  ///< of the variance of all of them, falling
};

/// For aligned queries [N, d] and keys [M, d] in double. An axis' entry of largest magnitude is
/// positive, so that signs are the same wherever this runs; of a width of 1 the second coordinate is
/// 0. Throws Failure(InvalidArgument) where all points are one.
JointPlane jointPlane(const at::Tensor& queries, const at::Tensor& keys);

}  // namespace headlight
