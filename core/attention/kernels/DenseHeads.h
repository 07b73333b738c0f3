#pragma once
// softmax(mask(Q Kᵀ · scale)) V of some heads by matrix products, in blocks of rows. CPU.

#include "core/attention/kernels/HeadLogits.h"
#include "core/attention/kernels/HeadView.h"

namespace headlight::dense {

/// `map` is [B, list, T, T], or null where it is not to be kept; `output` [B, T, D].
template <typename T>
void forward(const T* qkv, const HeadView& view, const HeadList& list, const HeadLogits& logits,
             T* output, T* map);

/// dqkv of the listed heads from dO; dα of every image and listed head in dAlpha [B, list] where
/// the head blends.
template <typename T>
void backward(const T* qkv, const T* map, const T* dOutput, const HeadView& view,
              const HeadList& list, const HeadLogits& logits, T* dqkv, T* dAlpha);

}  // namespace headlight::dense
