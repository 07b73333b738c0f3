// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The masks that a segmenter is to find: one for each class in sight.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace headlight {

struct TrueMasks {
  std::vector<std::int64_t> labels;  ///< [M], rising
  at::Tensor masks;  ///< [M, H, W], 1 where a pixel has the class, else 0; pixels of no known class
                     ///< are in no mask
};

/// The classes of `segments` [H, W] (uint8), rising, without kIgnoredClass. Throws
/// Failure(InvalidArgument) where one is none of the model's `classes`.
std::vector<std::int64_t> classesIn(const at::Tensor& segments, std::int64_t classes);

/// For `labels` of segments [H, W]; the masks are as `options` says.
TrueMasks trueMasks(const at::Tensor& segments, std::vector<std::int64_t> labels,
                    const at::TensorOptions& options);

}  // namespace headlight
