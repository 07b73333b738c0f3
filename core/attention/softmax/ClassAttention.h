// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Class attention (CaiT, Touvron et al. 2021b, §3): only the class token asks. Part of the CaiT
// backbone rather than a mechanism by name, since it changes one token alone; never masked.

#include "core/attention/base/AdaptableLinear.h"

#include "core/attention/base/Attention.h"

namespace headlight {

/// q from the class token, k and v from every token: A = softmax(qKᵀ/√d), out = proj(A·V) (CaiT Eq.
/// 3 to 6). Names as timm's: q, k, v, proj. The grid's one prefix token is the class token.
class ClassAttention : public Attention {
 public:
  explicit ClassAttention(const AttentionOptions& options);
  static void count(CostCounter& counter, const AttentionOptions& options);

  /// [B, 1 + N, D], the class token first → [B, 1, D]: what the class token takes in.
  /// Its map [B, H, 1 + N, 1 + N] has A in row 0; patches pass unchanged, so theirs is the
  /// identity.
  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap) override;
  HeadProjection headProjection() const override { return {m_proj->weight}; }
  std::string mapMeaning() const override;
  std::string kernelText() const override { return "matrix products, of one query"; }

 private:
  AttentionOptions m_options;
  AdaptableLinear m_query{nullptr}, m_key{nullptr}, m_value{nullptr}, m_proj{nullptr};
};

}  // namespace headlight
