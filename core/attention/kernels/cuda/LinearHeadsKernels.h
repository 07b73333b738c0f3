// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The kernels that LinearRows.h is the host side of. No torch type here, so that the CUDA compiler
// needs nothing of LibTorch.

#include <cuda_runtime_api.h>

#include <cstdint>

namespace headlight::cuda {

/// Some heads of a layer that share their sets and rule. Every pointer is to the device; h heads
/// are listed, N = T − P are the patch rows, E the entries of the sets.
template <typename T>
struct GroupView {
  const T* qkv;               ///< [B, T, 3, H, d]
  const std::int64_t* heads;  ///< [h], of the layer
  // SelectedSets
  const std::int32_t *rowStart, *columns, *columnStart, *rows, *positions;
  std::int64_t images, listed, tokens, prefix, layerHeads, width, entries;
  T scale;  ///< 1/√d
  bool strict;
};

/// Patch rows (LocalRows.h): `out` [B, h, N, d], a in `weights` [B, h, E], c in `rest` [B, h, N].
/// `valueSums` [B, h, d] is Σv.
template <typename T>
cudaError_t forwardRows(const GroupView<T>& view, const T* valueSums, T* out, T* weights, T* rest,
                        cudaStream_t stream);

/// dS into `dLogits` [B, h, E], and dq of patch rows into `dqkv`, which lies as qkv.
template <typename T>
cudaError_t backwardRows(const GroupView<T>& view, const T* out, const T* dOut, const T* weights,
                         T* dLogits, T* dqkv, cudaStream_t stream);

/// dk and dv of every token from the patch rows; `restSums` [B, h, d] is Σ_n c_n dO_n.
template <typename T>
cudaError_t backwardKeys(const GroupView<T>& view, const T* dOut, const T* restSums,
                         const T* weights, const T* rest, const T* dLogits, T* dqkv,
                         cudaStream_t stream);

}  // namespace headlight::cuda
