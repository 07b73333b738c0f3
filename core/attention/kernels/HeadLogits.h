#pragma once
// What masks do to the logits S [B, H, T, T] of a layer, as tensors: shared by the kernels.

#include <ATen/core/Tensor.h>

#include <vector>

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
  at::Tensor alpha;               ///< [H], in S's dtype; undefined where no head blends

  bool anyMasked() const {
    for (const LogitRule rule : rules)
      if (rule != LogitRule::Keep) return true;
    return false;
  }
};

/// `logits` [B, H, T, T] with every head's rule applied, by plain tensor operations.
at::Tensor maskedLogits(const at::Tensor& logits, const HeadLogits& rules);

}  // namespace headlight
