// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Focused linear attention (FLatten): Han et al. 2023, "FLatten Transformer: Vision Transformer
// using Focused Linear Attention", arXiv 2308.00442, Eq. 4 to 7.

#include "core/attention/linear/FactoredAttention.h"

namespace headlight {

struct FocusedLinearOptions {
  double focus = 3;     ///< p
  int convolution = 5;  ///< side of DWC
};

/// f_p(x) = ‖x‖/‖xᵖ‖ · xᵖ, powers by element, of rows x [.., d] of positive numbers: the norm is
/// kept, the direction moves to the nearest axis.
at::Tensor focused(const at::Tensor& x, double power);

/// φ_p(x) = f_p(ReLU(x)) and
///   O_i = Σ_j φ_p(Q_i)·φ_p(K_j) V_j / Σ_j φ_p(Q_i)·φ_p(K_j) + DWC(V)_i.
/// Decided, where the paper is silent or its authors' program differs: the function acts within each
/// head (there: before heads are split); 1e-6 is added after the ReLU, as there, so that no row is
/// 0; the filters of DWC are shared by the heads, as there; their scale of features and positions
/// of keys, of which the paper says nothing, are left out. A query that shares no feature with any
/// key, to 1e-6 of the longest, weighs keys by the sum of their features. Names: qkv, dwc, proj.
class FocusedLinear : public FactoredAttention {
 public:
  static const ParameterTable& optionTable();
  explicit FocusedLinear(const AttentionOptions& options);
  static void count(CostCounter& counter, const AttentionOptions& options);

  KernelFeatures features(const at::Tensor& q, const at::Tensor& k) const override;
  std::string mapMeaning() const override;

 private:
  double m_power;
};

}  // namespace headlight
