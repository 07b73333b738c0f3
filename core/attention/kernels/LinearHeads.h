// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Some heads of a layer in time that grows with their selected sets, forward and backward (MaiT,
// Eq. 2: every logit outside a set is 0, LocalRows.h). No T × T array anywhere. CPU.

#include <vector>

#include "core/attention/kernels/heads/HeadLogits.h"
#include "core/attention/kernels/heads/HeadView.h"

namespace headlight::linear {

/// Where what the backward pass needs lies: for every task (image × listed head) its weights a
/// [|L|], its outside weights c [T] and the maps of its prefix rows [P, T], one after the other.
struct Kept {
  Kept(const HeadList& list, const HeadLogits& logits, std::int64_t tokens);

  std::int64_t size() const;  ///< values in all
  std::int64_t weights(std::int64_t task) const;
  std::int64_t rest(std::int64_t task) const;
  std::int64_t prefixRows(std::int64_t task) const;

 private:
  std::int64_t m_tokens, m_tasks, m_perImage;
  std::vector<std::int64_t> m_begin, m_selected;  ///< of each listed head
};

/// `kept` (Kept::size() values) may be null where no backward pass follows.
template <typename T>
void forward(const T* qkv, const HeadView& view, const HeadList& list, const HeadLogits& logits,
             T* output, T* kept);

template <typename T>
void backward(const T* qkv, const T* output, const T* kept, const T* dOutput, const HeadView& view,
              const HeadList& list, const HeadLogits& logits, T* dqkv);

/// The full maps from what the forward pass kept: `map` is [B, H, T, T], the listed heads' part of
/// it is written. For images only.
template <typename T>
void writeMaps(const T* kept, const HeadView& view, const HeadList& list, const HeadLogits& logits,
               std::int64_t heads, T* map);

}  // namespace headlight::linear
