#pragma once
// Rows of softmax maps made again from queries and keys, which are T/d times smaller than the maps.

#include "core/attention/MapRows.h"
#include "core/attention/kernels/HeadInputs.h"
#include "core/attention/kernels/HeadLogits.h"

namespace headlight {

class SoftmaxRows : public MapRows {
 public:
  /// Of the batch's first image. Copies q and k; shares the tensors of `logits`, which has a mask
  /// or sets for every masked head and no terms (rowTerms, apart).
  SoftmaxRows(const HeadInputs& inputs, const HeadLogits& logits);
  std::vector<float> rows(int head, int first, int count) const override;

 private:
  HeadLogits logitsOf(int head, int first, int count) const;
  at::Tensor maskOf(int head, int first, int count) const;

  at::Tensor m_queries, m_keys;  ///< [H, T, d], float32 on the CPU; queries divided by √d
  HeadLogits m_logits;
};

}  // namespace headlight
