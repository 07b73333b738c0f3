// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Causal softmax attention over a sequence (Vaswani et al. 2017): the Transformer that AFT is
// compared with (Zhai et al. 2021, Tables 2 and 4).

#include <torch/nn/modules/linear.h>

#include "core/attention/softmax/CausalAttention.h"

namespace headlight {

struct CausalSoftmaxOptions {
  std::int64_t width = 128;   ///< D
  std::int64_t heads = 4;     ///< H; divides D
  std::int64_t length = 256;  ///< T: the longest sequence
};

/// Throws Failure(InvalidConfig) for heads that do not divide the width, and for sequences so long
/// that a head's logits for all pairs of tokens are too many to hold (TokenPairLimit.h).
void checkCausalSoftmax(const CausalSoftmaxOptions& options);

/// out = proj(softmax(Q Kᵀ/√d, −∞ where t' > t) V), per head. Weights as timm's: qkv, proj.
class CausalSoftmax : public CausalAttention {
 public:
  /// Rows that are computed at a time, with the keys up to the last of them alone.
  static constexpr std::int64_t kRowsAtATime = 128;

  /// Throws as checkCausalSoftmax().
  explicit CausalSoftmax(const CausalSoftmaxOptions& options);

  /// O(B D t²), of which what lies above the diagonal is left out but for kRowsAtATime. By the
  /// fused kernels on the CPU, which keep nothing of size t × t.
  at::Tensor forward(const at::Tensor& tokens) override;
  /// O(B D t): K and V of the tokens before are remembered, O(B D T).
  at::Tensor step(const at::Tensor& token, CausalState& state) override;
  at::Tensor map(const at::Tensor& tokens) override;
  std::string mapMeaning() const override;

 private:
  CausalSoftmaxOptions m_options;
  torch::nn::Linear m_qkv{nullptr}, m_proj{nullptr};
};

}  // namespace headlight
