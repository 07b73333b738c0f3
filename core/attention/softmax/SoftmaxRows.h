// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Rows of softmax maps made again from queries and keys, which are T/d times smaller than the maps.

#include <mutex>

#include "core/attention/base/MapRows.h"
#include "core/attention/kernels/heads/HeadInputs.h"
#include "core/attention/kernels/heads/HeadLogits.h"

namespace headlight {

class SoftmaxRows : public MapRows {
 public:
  /// For the batch's first image. Copies q and k; shares the tensors of `logits`, which has a mask
  /// or sets for every masked head and no terms (rowTerms, apart).
  SoftmaxRows(const HeadInputs& inputs, const HeadLogits& logits);
  /// A single row is computed for all heads together and kept until another one is asked for: one
  /// query token is shown for every head.
  std::vector<float> rows(int head, int first, int count) const override;

 private:
  void keepRowsOf(int query) const;
  HeadLogits logitsOf(int firstHead, int heads, int first, int count) const;
  at::Tensor maskOf(int head, int first, int count) const;

  at::Tensor m_queries, m_keys;  ///< [H, T, d], float32 on the CPU; queries divided by √d
  HeadLogits m_logits;
  mutable std::mutex m_mutex;
  mutable int m_keptQuery = -1;
  mutable std::vector<float> m_kept;  ///< of that query, [H, T]
};

}  // namespace headlight
