// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Talking-heads attention (Shazeer et al. 2020) as CaiT's patch layers use it (Touvron et al.
// 2021b), with a mask per head (MaiT §4, "Masked CaiT").

#include "core/attention/base/AdaptableLinear.h"

#include "core/attention/softmax/MaskedAttention.h"

namespace headlight {

/// Heads are mixed before the softmax and after it: S' = W_l·S + b_l and A' = W_w·A + b_w, over the
/// head axis. A = softmax(mask(S')), out = proj(A'·V): the mask acts on what enters the softmax.
/// Names as timm's: qkv, proj_l, proj_w, proj.
class TalkingHeadsAttention : public MaskedAttention {
 public:
  explicit TalkingHeadsAttention(const AttentionOptions& options);
  static void count(CostCounter& counter, const AttentionOptions& options);

  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap) override;
  void setGrid(const Grid& grid) override { moveTo(grid); }
  void setKept(const at::Tensor&) override {}  // nothing here has a place
  HeadProjection headProjection() const override { return {m_proj->weight}; }
  std::string mapMeaning() const override;
  std::string kernelText() const override { return "matrix products"; }  // heads mix between them

 private:
  AttentionOptions m_options;
  AdaptableLinear m_qkv{nullptr}, m_mixLogits{nullptr}, m_mixWeights{nullptr}, m_proj{nullptr};
};

}  // namespace headlight
