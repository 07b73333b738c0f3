#pragma once
// What masks do to the logits S [B, H, T, T] of a layer, as tensors: shared by the kernels.

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "core/attention/kernels/SelectedSets.h"

namespace headlight {

enum class LogitRule {
  Keep,      ///< S
  Multiply,  ///< M ⊙ S: hard and random (MaiT Eq. 2)
  Blend,     ///< (M + α(1 − M)) ⊙ S: soft (MaiT §4.3)
  Forbid,    ///< S where M = 1, −∞ elsewhere: strict
};

struct HeadLogits {
  std::vector<LogitRule> rules;   ///< one a head
  std::vector<at::Tensor> masks;  ///< M of each head, [T, T] in S's dtype; undefined for Keep
  /// What each head selects, where the linear-time kernel is to run it (Multiply and Forbid only;
  /// its M may then be undefined); null, or the whole vector empty: dense.
  std::vector<std::shared_ptr<const SelectedSets>> sets;
  at::Tensor alpha;  ///< [H], in S's dtype; undefined where no head blends

  bool isLinear(std::size_t head) const { return head < sets.size() && sets[head]; }
  bool anyMasked() const {
    for (const LogitRule rule : rules)
      if (rule != LogitRule::Keep) return true;
    return false;
  }
};

/// `logits` [B, H, T, T] with every head's rule applied, by plain tensor operations.
at::Tensor maskedLogits(const at::Tensor& logits, const HeadLogits& rules);

}  // namespace headlight
