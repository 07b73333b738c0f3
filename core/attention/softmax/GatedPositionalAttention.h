// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// ConViT's Gated Positional Self Attention (d'Ascoli et al. 2021, Eq. 6 and 7): each head weighs
// what tokens say against where they lie, and starts out as a convolution.

#include "core/attention/base/AdaptableLinear.h"

#include "core/attention/base/DerivedTensor.h"
#include "core/attention/softmax/MaskedAttention.h"

namespace headlight {

struct GatedPositionalOptions {
  double localityStrength = 1.0;  ///< α of the local initialization; 0: every place alike
  double gate = 1.0;              ///< λ that every head starts from
};

/// A = (1 − σ(λ))·softmax(QKᵀ/√d) + σ(λ)·softmax(v · r) with r = (Δcol, Δrow, Δcol² + Δrow²) of key
/// and query; out = proj(A V). Masks of heads act on QKᵀ/√d. Patches only: the class token joins
/// later. Names as timm's: qk, v, pos_proj, gating_param [H], proj.
class GatedPositionalAttention : public MaskedAttention {
 public:
  static const ParameterTable& optionTable();
  /// Errors: a grid with prefix tokens, which lie nowhere.
  explicit GatedPositionalAttention(const AttentionOptions& options);
  /// softmax(v · r) is not counted: it is formed once for given weights, not once an image.
  static void count(CostCounter& counter, const AttentionOptions& options);

  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap) override;
  HeadProjection headProjection() const override { return {m_proj->weight}; }
  std::string mapMeaning() const override;
  std::string kernelText() const override {
    return MaskedAttention::kernelText() + "; positions by matrix products";
  }
  /// What is kept of the positional weights is forgotten.
  void train(bool on = true) override;

  /// V is the identity, and head h₁ + √H·h₂ looks at its own place in a √H × √H neighborhood
  /// (ConViT §3, "local initialization"). To be called after a backbone drew its linear layers.
  void initializeLocally();
  /// softmax(v · r): [H, N, N], rows sum to 1.
  at::Tensor positional();

 private:
  AttentionOptions m_options;
  GatedPositionalOptions m_own;
  AdaptableLinear m_qk{nullptr}, m_v{nullptr}, m_positions{nullptr}, m_proj{nullptr};
  at::Tensor m_gate;     ///< λ [H]
  at::Tensor m_offsets;  ///< r [N, N, 3]: query, key; no buffer, since it follows from the grid
  DerivedTensor m_positional;
};

}  // namespace headlight
