// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// softmax(logits) V of some heads by matrix products, in blocks of rows: nothing of size Tq × Tk is
// kept, backward passes compute their logits again. CPU. T is what is computed in, Kept how q, k,
// v, the output and their gradients lie: T itself, or the bits of bfloat16 where T is float.

#include "core/attention/kernels/Products.h"
#include "core/attention/kernels/heads/HeadLogits.h"
#include "core/attention/kernels/heads/HeadView.h"

namespace headlight::dense {

constexpr std::int64_t kStats = 3;  ///< of each row

/// `output` [B, Tq, H·e]; `map` [B, list, Tq, Tk] and `stats` [B, list, kStats, Tq] (of each row's
/// softmax the maximum and the inverse sum, and with a weight factor the reciprocal of the row's
/// sum after it, with a least weight how many stay; for the backward pass): null where not wanted.
template <typename T, typename Kept>
void forward(Arithmetic arithmetic, const HeadInputs& inputs, const HeadList& list,
             const HeadLogits& logits, Kept* output, T* map, T* stats);

/// How the backward pass divides: each chunk of neighboring images has sums of its own, for what
/// all images share. By sizes alone, so that sums are the same whatever the threads.
std::int64_t imagesPerChunk(const HeadList& list);
std::int64_t countChunks(const HeadList& list);

/// Where gradients are written. What a layer does not have is null.
template <typename T>
struct Gradients {
  T* alpha = nullptr;         ///< [B, list]; of the heads that blend
  T* factor = nullptr;        ///< [chunks, list, Tq, Tk], zeros before
  T* bias = nullptr;          ///< [chunks, list, Tq, Tk], zeros before
  T* weightFactor = nullptr;  ///< [chunks, list, Tq, Tk], zeros before
  T* rowTerms = nullptr;      ///< [B, H, Tq, rows]
  T* colTerms = nullptr;      ///< [B, H, Tq, cols]
};

/// From dO [B, Tq, H·e]; the listed heads' q, k and v of `dInputs` are written.
template <typename T, typename Kept>
void backward(Arithmetic arithmetic, const HeadInputs& inputs, const T* stats, const Kept* dOutput,
              const HeadList& list, const HeadLogits& logits, const HeadInputs& dInputs,
              const Gradients<T>& gradients);

}  // namespace headlight::dense
