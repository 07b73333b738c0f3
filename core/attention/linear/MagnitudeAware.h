// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Magnitude-aware linear attention (MALA): Fan et al. 2025, "Rectifying Magnitude Neglect in Linear
// Attention", arXiv 2507.00698.

#include "core/attention/linear/FactoredAttention.h"

namespace headlight {

struct MagnitudeAwareOptions {
  std::string scaling = "released";
  bool modulation = true;
  int convolution = 5;  ///< side of LePE
};

/// With φ = ELU + 1, s_ij = c·φ(Q_i)·φ(K_j) and z_i = Σ_j s_ij,
///   A_ij = β_i s_ij − γ_i,  β_i = 1 + 1/z_i,  γ_i = z_i/T,
/// so that rows sum to 1 and a longer query makes a sharper row, which a quotient alone forgets.
/// `scaling`: literal is c = 1, as the paper writes it; released is c = 1/(T·√d), as its authors'
/// program has it, where rows do not sharpen with the number of tokens. Decided, as there: LePE(V)
/// is added and the whole multiplied by a linear map of the layer's input. Their rotary positions
/// are left out. Names: qkv, lepe, modulation, proj.
class MagnitudeAware : public FactoredAttention {
 public:
  static const ParameterTable& optionTable();
  explicit MagnitudeAware(const AttentionOptions& options);
  static void count(CostCounter& counter, const AttentionOptions& options);

  KernelFeatures features(const at::Tensor& q, const at::Tensor& k) const override;
  std::string mapMeaning() const override;
  bool mapIsSigned() const override { return true; }

 private:
  bool m_literal;
};

}  // namespace headlight
