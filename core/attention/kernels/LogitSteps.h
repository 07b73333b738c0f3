// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What HeadLogits says, as the dense kernel applies it to blocks of rows. Internal to the kernels.

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/attention/kernels/LogitMath.h"
#include "core/attention/kernels/heads/HeadInputs.h"
#include "core/attention/kernels/heads/HeadLogits.h"

namespace headlight::dense {

template <typename T>
const T* contiguousData(const at::Tensor& tensor) {
  if (!tensor.defined()) return nullptr;
  TORCH_CHECK(tensor.is_contiguous(), "what is applied to logits is contiguous");
  return tensor.data_ptr<T>();
}

/// What becomes of the logits of one head of one image.
template <typename T>
struct HeadSteps {
  LogitRule rule = LogitRule::Keep;
  T alpha = 0, leastWeight = -1;
  const T *mask = nullptr, *factor = nullptr, *bias = nullptr,
          *weightFactor = nullptr;                   ///< [Tq, Tk]
  const T *rowTerms = nullptr, *colTerms = nullptr;  ///< [Tq, rows], [Tq, cols]
  const bool* apart = nullptr;                       ///< [Tq, Tk]
  std::int64_t keys = 0, rows = 0, cols = 0;

  void applyBeforeMask(T* s, std::int64_t first, std::int64_t count) const {
    const std::int64_t offset = first * keys, size = count * keys;
    if (factor) rows::multiply(s, factor + offset, size);
    if (bias) rows::add(s, bias + offset, size);
    if (rowTerms)
      rows::addTerms(s, rowTerms + first * rows, colTerms + first * cols, count, rows, cols);
  }
  /// Weights that are still to be multiplied by `inverse` → by `unit`, both [count]: W, and what
  /// makes rows sum to 1 in absolute value; or those above the least weight. `extra` [count]: the
  /// reciprocal of a row's sum, or how many of its weights stay.
  void applyAfterSoftmax(T* s, std::int64_t first, std::int64_t count, const T* inverse, T* unit,
                         T* extra) const {
    std::copy_n(inverse, count, unit);
    if (leastWeight >= 0) rows::dropSmall(s, count, keys, inverse, leastWeight, extra);
    if (!weightFactor) return;
    rows::multiply(s, weightFactor + first * keys, count * keys);
    rows::absoluteSums(s, count, keys, extra);
    for (std::int64_t n = 0; n < count; ++n) {
      extra[n] = T(1) / std::max(extra[n] * inverse[n], T(kLeastRowSum));
      unit[n] = inverse[n] * extra[n];
    }
  }
  void applyMask(T* s, std::int64_t first, std::int64_t count) const {
    const std::int64_t offset = first * keys, size = count * keys;
    if (rule == LogitRule::Forbid)
      rows::forbid(s, mask + offset, size);
    else if (rule == LogitRule::Add)
      rows::add(s, mask + offset, size);
    else if (rule != LogitRule::Keep)
      rows::blend(s, mask + offset, alpha, size);
    if (apart != nullptr) rows::separate(s, apart + offset, size);
  }
};

/// For every head and image, from the layer's tensors.
template <typename T>
class LayerSteps {
 public:
  LayerSteps(const HeadInputs& inputs, const HeadLogits& logits)
      : m_inputs(inputs),
        m_factor(contiguousData<T>(logits.factor)),
        m_bias(contiguousData<T>(logits.bias)),
        m_weightFactor(contiguousData<T>(logits.weightFactor)),
        m_rowTerms(contiguousData<T>(logits.rowTerms)),
        m_colTerms(contiguousData<T>(logits.colTerms)),
        m_apart(contiguousData<bool>(logits.apart)) {
    m_sharedFactor = m_factor && logits.factor.size(0) == 1;
    m_groups = m_apart ? logits.apart.size(0) : 1;
    if (m_rowTerms) m_rows = logits.rowTerms.size(3), m_cols = logits.colTerms.size(3);
    for (std::size_t h = 0; h < logits.rules.size(); ++h) {
      HeadSteps<T>& steps = m_heads.emplace_back();
      steps.rule = logits.rules[h];
      steps.leastWeight = static_cast<T>(logits.leastWeight);
      steps.keys = inputs.keys;
      steps.rows = m_rows;
      steps.cols = m_cols;
      if (steps.rule == LogitRule::Keep || logits.isLinear(h)) continue;
      steps.mask = contiguousData<T>(logits.masks[h]);
      if (steps.rule == LogitRule::Blend) steps.alpha = logits.alpha.data_ptr<T>()[h];
    }
  }

  HeadSteps<T> of(std::int64_t image, std::int64_t head) const {
    HeadSteps<T> steps = m_heads[head];
    const std::int64_t size = m_inputs.queries * m_inputs.keys,
                       row = (image * m_inputs.heads + head) * m_inputs.queries;
    if (m_factor) steps.factor = m_factor + (m_sharedFactor ? 0 : head * size);
    if (m_bias) steps.bias = m_bias + head * size;
    if (m_weightFactor) steps.weightFactor = m_weightFactor + head * size;
    if (m_rowTerms) {
      steps.rowTerms = m_rowTerms + row * m_rows;
      steps.colTerms = m_colTerms + row * m_cols;
    }
    if (m_apart != nullptr) steps.apart = m_apart + image % m_groups * size;
    return steps;
  }

 private:
  const HeadInputs& m_inputs;
  const T *m_factor, *m_bias, *m_weightFactor, *m_rowTerms, *m_colTerms;
  const bool* m_apart;
  bool m_sharedFactor = false;
  std::int64_t m_groups = 1, m_rows = 0, m_cols = 0;
  std::vector<HeadSteps<T>> m_heads;
};

}  // namespace headlight::dense
