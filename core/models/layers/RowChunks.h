// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The rows of a tensor in chunks for several threads. What is summed within a chunk is the same
// whatever the threads: chunks go by sizes alone. Internal to core/models.

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>

namespace headlight {

constexpr std::int64_t kRowsAChunk = 64;

/// For [.., C]: all but the last dimension.
inline std::int64_t rowsOf(const at::Tensor& tensor) {
  return tensor.numel() / tensor.size(-1);
}
inline std::int64_t chunksOfRows(const at::Tensor& tensor) {
  return (rowsOf(tensor) + kRowsAChunk - 1) / kRowsAChunk;
}

/// Calls body(chunk, first row, rows).
template <typename Body>
void forEachChunkOfRows(const at::Tensor& tensor, Body body) {
  const std::int64_t rows = rowsOf(tensor);
  at::parallel_for(0, chunksOfRows(tensor), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t chunk = begin; chunk < end; ++chunk)
      body(chunk, chunk * kRowsAChunk, std::min(kRowsAChunk, rows - chunk * kRowsAChunk));
  });
}

}  // namespace headlight
