// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// SelectedSets as tensors on any device. Made once for a set and device, and kept as long as the
// set lives.

#include <ATen/core/Tensor.h>

#include <memory>

#include "core/attention/kernels/heads/SelectedSets.h"

namespace headlight {

/// For gathering: every patch row as long as the longest, L (at least 1).
struct PaddedSets {
  at::Tensor columns;  ///< [T − P, L] int64: the selected keys, then zeros
  at::Tensor present;  ///< [T − P, L] bool: which of them are selected
  at::Tensor counts;   ///< [T − P, 1] int64: how many are
};
PaddedSets paddedSets(const std::shared_ptr<const SelectedSets>& sets, const at::Device& device);

/// SelectedSets' own arrays, int32.
struct CompressedSets {
  at::Tensor rowStart, columns, columnStart, rows, positions;
};
CompressedSets compressedSets(const std::shared_ptr<const SelectedSets>& sets,
                              const at::Device& device);

}  // namespace headlight
