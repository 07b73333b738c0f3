// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What FLatten, RALA and MALA share: weights that are products of features of queries and of keys,
// A = φψᵀ, so that φ(ψᵀV) takes time and memory linear in the tokens; a depthwise convolution of
// the values beside it; and an output that may be multiplied by a linear map of the tokens.

#include "core/attention/base/AdaptableLinear.h"

#include <memory>
#include <string>

#include "core/attention/base/Attention.h"
#include "core/attention/linear/LinearKernels.h"
#include "core/attention/linear/ValueConvolution.h"

namespace headlight {

struct FactoredParts {
  std::string convolution;  ///< the convolution's name: "dwc", "lepe"
  ValueFilters filters;
  bool modulated = false;             ///< whether the output is multiplied by `modulation` (tokens)
  std::int64_t constantFeatures = 0;  ///< features that a kernel has beside those of a head
};

/// qkv, the convolution, modulation [D, D] where there is one, proj:
///   out = proj((φ(ψᵀV) + DWC(V)) ⊙ modulation(tokens)).
/// Heads cannot be masked: no logits are formed, and none of the papers says what a mask would
/// be.
class FactoredAttention : public Attention {
 public:
  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap) override;
  void setGrid(const Grid& grid) override { m_convolution->setGrid(grid); }
  HeadProjection headProjection() const override { return {m_proj->weight}; }
  std::string kernelText() const override;

  /// φ [B, H, T, f] and ψ [B, H, T, f] of q and k [B, H, T, d], denominators within φ.
  virtual KernelFeatures features(const at::Tensor& q, const at::Tensor& k) const = 0;

 protected:
  FactoredAttention(const AttentionOptions& options, const FactoredParts& parts);
  static void countParts(CostCounter& counter, const AttentionOptions& options,
                         const FactoredParts& parts);

 private:
  at::Tensor mixed(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                   AttentionHook* tap) const;

  AttentionOptions m_options;
  AdaptableLinear m_qkv{nullptr}, m_modulation{nullptr}, m_proj{nullptr};
  std::shared_ptr<ValueConvolution> m_convolution;
};

}  // namespace headlight
