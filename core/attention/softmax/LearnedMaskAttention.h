// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// IBiT's Learned Mask Self Attention (§3, Algorithm 2): softmax attention whose weights are
// multiplied by a mask that is learned, the same for every image. Of low rank once its rows are
// rolled back, the mask is the product of two small sub-masks that start out as a local filter.
//
// The ablations of Table 4, all else being the recipe of Table 5 (DeiT's, with drop path on the
// attention branch alone: the layout option mlp_drop_path of the backbone vit, off):
//   A, IBiT:            mechanism learned_mask; --training.cutmix_alpha 0 (the default)
//   B, with CutMix:     mechanism learned_mask; --training.cutmix_alpha 1
//   C, DeiT:            mechanism softmax; --training.cutmix_alpha 1
// each with DeiT's --training.mixup_alpha 0.8 (commands: resources/help/training.md),
// and of the mask itself: `initialization` conv or random, `rolled` off, `learned` off,
// `placement` logits, or products: Algorithm 2 as printed, without a softmax.

#include "core/attention/base/AdaptableLinear.h"

#include <string>
#include <vector>

#include "core/attention/base/DerivedTensor.h"
#include "core/attention/base/MechanismPlotSource.h"
#include "core/attention/softmax/MaskedAttention.h"

namespace headlight {

struct LearnedMaskOptions {
  int fidelity = 3;                         ///< f: the sub-masks have f² columns
  std::string placement = "weights";        ///< weights | logits | products
  std::string initialization = "gaussian";  ///< gaussian | conv | random
  double sigma = 1.0;                       ///< of the Gaussian, in patches
  int window = 0;                           ///< of the filter it starts as; 0: f
  std::string fit = "relative";             ///< or absolute, the rule of schema 1 and 2
  bool rolled = true;                       ///< off: W = 𝒜ℬᵀ as it is
  bool learned = true;                      ///< off: the mask stays as it starts
};

/// weights: A = normalize(softmax(S) ⊙ W), rows divided by their sum of absolute values; logits:
/// A = softmax(S ⊙ W); products: A = S ⊙ W, rows divided by their Euclidean norm, as Algorithm 2 is
/// printed (ProductWeights.h). W[n, m] = R[n, (m − n) mod N] with R = 𝒜ℬᵀ over patches; its prefix
/// rows and columns are 1. Masks of heads act on the logits that enter the softmax, or on S ⊙ W.
/// Names: qkv, proj and the parameters (buffers where they are not learned) learned_mask_{a,b}
/// [H, N, f²].
class LearnedMaskAttention : public MaskedAttention, public MechanismPlotSource {
 public:
  static const ParameterTable& optionTable();
  explicit LearnedMaskAttention(const AttentionOptions& options);
  /// 𝒜ℬᵀ is not counted: it is formed once for given weights, not once an image.
  static void count(CostCounter& counter, const AttentionOptions& options);

  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap) override;
  HeadProjection headProjection() const override { return {m_proj->weight}; }
  std::string mapMeaning() const override;
  bool mapIsSigned() const override { return m_own.placement != "logits"; }
  std::string kernelText() const override;
  /// W as it is now.
  std::vector<LearnedPairs> learnedPairs() override;
  /// W as a whole, and as the filter that it is (LearnedMaskPlots.h).
  std::vector<MechanismPlotInfo> mechanismPlots() const override;
  MechanismPlotAnswer mechanismPlot(const std::string& name,
                                    const MechanismPlotQuery& question) override;
  const LearnedMaskFit* startingFit() const override { return m_fit; }
  bool isFitted(const std::string& parameter) const override;
  /// 𝒜 and ℬ: they are factors of W, not tables of positions.
  bool mayDecay(const std::string& parameter) const override { return isFitted(parameter); }
  /// What is kept of W is forgotten.
  void train(bool on = true) override;

  /// W [H, T, T] as it is now; differentiable in the sub-masks.
  at::Tensor mask();

  /// ∂L/∂S [B, H, T, T] of S = QKᵀ/√d, as it is before masks of heads, W and the softmax: from
  /// `tokens` [B, T, D], what enters, and ∂L/∂(what the weights make of the values) [B, T, D].
  at::Tensor logitGradient(const at::Tensor& tokens, const at::Tensor& ofMixed);

 private:
  void initialize();
  bool hasSoftmax() const { return m_own.placement != "products"; }
  HeadLogits rulesFor(const at::Tensor& qkv, const at::Tensor& mask);

  AttentionOptions m_options;
  LearnedMaskOptions m_own;
  AdaptableLinear m_qkv{nullptr}, m_proj{nullptr};
  at::Tensor m_maskA, m_maskB;  ///< 𝒜, ℬ [H, N, f²]
  DerivedTensor m_mask;
  const LearnedMaskFit* m_fit = nullptr;  ///< null: they started at random
};

}  // namespace headlight
