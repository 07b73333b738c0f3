// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Gated attention: Qiu et al. 2025, "Gated Attention for Large Language Models: Non-linearity,
// Sparsity, and Attention-Sink-Free", arXiv 2505.06708, the gate G1 after the attention products.

#include "core/attention/base/AdaptableLinear.h"

#include <string>

#include "core/attention/softmax/MaskedAttention.h"

namespace headlight {

struct GatedAttentionOptions {
  std::string gate = "elementwise";
};

/// out = proj(softmax(mask(QKᵀ/√d))·V ⊙ σ(X·W_g)), X the layer's input; `gate` elementwise: W_g
/// [D, D], a number for every feature of every head; headwise: [D, H], one for a head. Decided: W_g
/// has a bias, as other projections here. Heads take the masks and kernels of softmax attention.
/// Names: qkv, output_gate, proj.
class GatedAttention : public MaskedAttention {
 public:
  static const ParameterTable& optionTable();
  explicit GatedAttention(const AttentionOptions& options);
  static void count(CostCounter& counter, const AttentionOptions& options);

  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap) override;
  void setGrid(const Grid& grid) override { moveTo(grid); }
  void setKept(const at::Tensor&) override {}  // nothing here has a place
  HeadProjection headProjection() const override { return {m_proj->weight}; }
  std::string mapMeaning() const override;
  /// "gate": the mean over tokens and features in the last forward pass.
  std::vector<std::pair<std::string, double>> readings() const override;

 private:
  at::Tensor attended(const at::Tensor& tokens, AttentionHook* tap);

  AttentionOptions m_options;
  AdaptableLinear m_qkv{nullptr}, m_gate{nullptr}, m_proj{nullptr};
  at::Tensor m_meanGate;  ///< scalar, left on its device until asked for
};

}  // namespace headlight
