// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Rank-augmented linear attention (RALA): Fan et al. 2025, "Breaking the Low-Rank Dilemma of Linear
// Attention", arXiv 2411.07635.

#include "core/attention/linear/FactoredAttention.h"

namespace headlight {

struct RankAugmentedOptions {
  bool augmentBuffer = true;  ///< α
  bool augmentOutput = true;  ///< φ
  int convolution = 5;        ///< side of LePE
};

/// With κ = ELU + 1 and T tokens,
///   α_j = T · softmax_j(q̄·κ(K_j)/√d), q̄ = mean_i κ(Q_i),
///   Y_i = φ(X_i) ⊙ [κ(Q_i) Σ_j α_j κ(K_j)ᵀV_j / Σ_j α_j κ(Q_i)·κ(K_j) + LePE(V)_i],
/// φ a linear map of the layer's input. α raises the rank of the buffer of keys and values, φ that
/// of the output. Decided, as the authors' program has it: κ comes before the mean over queries, α
/// is in the denominator too, φ has no activation and multiplies LePE as well. Rotary positions,
/// which belong to their backbone, are left out. Names: qkv, lepe, modulation (φ), proj.
class RankAugmented : public FactoredAttention {
 public:
  static const ParameterTable& optionTable();
  explicit RankAugmented(const AttentionOptions& options);
  static void count(CostCounter& counter, const AttentionOptions& options);

  KernelFeatures features(const at::Tensor& q, const at::Tensor& k) const override;
  std::string mapMeaning() const override;

 private:
  bool m_augmentBuffer;
};

}  // namespace headlight
