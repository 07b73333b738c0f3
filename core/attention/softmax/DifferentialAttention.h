// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Differential attention: Ye et al. 2025, "Differential Transformer", arXiv 2410.05258, Eq. 1 to 3.

#include "core/attention/base/AdaptableLinear.h"

#include <string>
#include <utility>
#include <vector>

#include "core/attention/softmax/MaskedAttention.h"

namespace headlight {

/// λ_init of layer l, counted from 0: 0.8 − 0.6·e^(−0.3·l).
double differentialLambda(int layer);

/// Each head has two queries and two keys, the halves of its features, and one value of the whole
/// width d:
///   A = softmax(Q₁K₁ᵀ/√(d/2)) − λ·softmax(Q₂K₂ᵀ/√(d/2)),
///   λ = exp(λ_q1·λ_k1) − exp(λ_q2·λ_k2) + λ_init, one for all heads of a layer,
///   out = proj((1 − λ_init)·RMSNorm(A·V)), the norm within each head, its weight shared by heads.
/// Decided: H is the model's, with the parameters of softmax attention; the paper, for as many
/// softmaxes, takes half of a Transformer's heads (model.heads). A mask acts on both logits (MaiT
/// Eq. 2), a soft one by the same α. Names: qkv, lambda_q1, lambda_k1, lambda_q2, lambda_k2 [d/2],
/// drawn from N(0, 0.1²), subln_weight [d], proj.
class DifferentialAttention : public MaskedAttention {
 public:
  explicit DifferentialAttention(const AttentionOptions& options);
  static void count(CostCounter& counter, const AttentionOptions& options);

  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap) override;
  void setGrid(const Grid& grid) override { moveTo(grid); }
  void setKept(const at::Tensor&) override {}  // nothing here has a place
  HeadProjection headProjection() const override { return {m_proj->weight}; }
  std::string mapMeaning() const override;
  bool mapIsSigned() const override { return true; }
  std::string kernelText() const override { return "matrix products, two softmaxes a head"; }
  /// "lambda".
  std::vector<std::pair<std::string, double>> readings() const override;

 private:
  at::Tensor lambda() const;
  at::Tensor softmaxOfHalf(const at::Tensor& q, const at::Tensor& k, int half);
  at::Tensor mixed(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                   AttentionHook* tap);

  AttentionOptions m_options;
  double m_lambdaInit;
  AdaptableLinear m_qkv{nullptr}, m_proj{nullptr};
  at::Tensor m_q1, m_k1, m_q2, m_k2, m_normWeight;
};

}  // namespace headlight
