// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// TaylorShift: Nauen et al. 2024, "TaylorShift: Shifting the Complexity of Self-Attention from
// Squared to Linear (and Back) using Taylor-Softmax", arXiv 2403.02920.

#include "core/attention/base/AdaptableLinear.h"

#include <string>

#include "core/attention/softmax/MaskedAttention.h"

namespace headlight {

struct TaylorShiftOptions {
  std::string form = "auto";
  bool outputScale = true;
};

/// The first number of tokens at which the efficient form takes fewer operations than the direct
/// one, by the paper's counts for a head of width d: T²(4d + 6) and T(4d³ + 10d² + 9d + 4). That is
/// N₀ of its Table 1, d² + d + 1: 1057 for d = 32, 4161 for d = 64.
std::int64_t taylorCrossover(std::int64_t headWidth);
/// The same by the numbers that both hold, N₁ of that table, about d²/2 + 2d: 574 and 2174.
std::int64_t taylorMemoryCrossover(std::int64_t headWidth);

/// Rows of 1 + x + x²/2 over their sum, the Taylor softmax of second order, of logits x; −∞ has
/// weight 0. `factors`, where given, multiply the weights before the division.
at::Tensor taylorSoftmax(const at::Tensor& logits, const at::Tensor& factors = {});
/// taylorSoftmax(QKᵀ)V of q, k [.., T, d] and v [.., T, e] without a T × T tensor: x² = (q·k)² is
/// the product of the d² pairs of features of q and of k. O(T·d³) time, O(T·d²) memory.
at::Tensor taylorEfficient(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v);

/// Y = √(T/d) · taylorSoftmax(τ_h q̂k̂ᵀ)V, q̂ and k̂ unit rows, τ_h learned of each head from 1,
/// √(T/d) unless `output_scale` is off. The form is chosen by taylorCrossover() unless `form` says
/// which. Masks act on the logits τ q̂k̂ᵀ as on those of softmax attention (MaiT Eq. 2), a hard
/// one leaving the weight 1 of x = 0; they need the direct form. A decay multiplies the weights by
/// γ^d: added to the logits, as in a softmax, it would make far patches heavy, for x²/2 grows below
/// 0 too. Decided: the authors' program scales the output of one form by √(T/d) and of the other by
/// its inverse; the paper's √(T/d) is in both.
/// Names: qkv, taylor_temperature [H], proj.
class TaylorShift : public MaskedAttention {
 public:
  static const ParameterTable& optionTable();
  explicit TaylorShift(const AttentionOptions& options);
  static void count(CostCounter& counter, const AttentionOptions& options);

  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap) override;
  void setMasks(const std::vector<HeadMask>& masks) override;
  void setGrid(const Grid& grid) override;
  void setKept(const at::Tensor&) override {}  // nothing here has a place
  HeadProjection headProjection() const override { return {m_proj->weight}; }
  std::string mapMeaning() const override;
  std::string kernelText() const override;

 private:
  bool isEfficient(std::int64_t tokens) const;
  at::Tensor weightsOf(const at::Tensor& logits);
  at::Tensor mixed(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                   AttentionHook* tap);

  AttentionOptions m_options;
  TaylorShiftOptions m_own;
  bool m_masked = false;
  std::int64_t m_tokens;  ///< of the last forward pass; before one, of the grid
  AdaptableLinear m_qkv{nullptr}, m_proj{nullptr};
  at::Tensor m_temperature;
};

}  // namespace headlight
