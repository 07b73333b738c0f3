// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The interface of attention in a decoder: what stands between the first norm of a block and its
// residual, where each token sees itself and those before it alone.

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <string>

namespace headlight {

/// What a layer remembers of the tokens so far while a sequence grows. Begins empty; the first
/// step() gives it its size.
struct CausalState {
  std::int64_t position = 0;  ///< tokens so far
  /// For softmax: K and V of all tokens, [B, H, T, d] each, of which the first `position` are
  /// there. For a Synthesizer: V alone.
  /// For AFT, those whose bias is not 0, all (full) or the last window of them (local), [C, B, D]
  /// as a ring: token t stands at t mod C. Of conv [C, B, h, 1] and [C, B, h, D/h].
  at::Tensor keys, values;
  /// For AFT's tokens further back, [B, D]: the maximum of K, Σ e^{K − maximum}, Σ e^{K − maximum}
  /// V. Of conv [B, h, 1] and, of the last, [B, h, D/h]. For attention by features: the greatest
  /// exponent of a Performer's keys [B, H, 1, 1], Σ ψ [B, H, m, 1], Σ ψ vᵀ [B, H, m, d].
  at::Tensor maximum, weights, weighted;
};

class CausalAttention : public torch::nn::Module {
 public:
  /// [B, t, D] → [B, t, D] with t ≤ T. Token t' takes part in t only where t' ≤ t.
  virtual at::Tensor forward(const at::Tensor& tokens) = 0;

  /// The token [B, D] after those that `state` has seen → what forward() has at its place, and
  /// `state` with it. For use without gradients. Throws Failure(InvalidArgument) for a token after
  /// the T-th.
  virtual at::Tensor step(const at::Tensor& token, CausalState& state) = 0;

  /// For looking, of tokens [B, t, D]: [B, heads, t, t], 0 above the diagonal; no row has a
  /// negative value and each sums to 1. Quadratic in t. Without gradients.
  virtual at::Tensor map(const at::Tensor& tokens) = 0;
  /// What such a map is, in words.
  virtual std::string mapMeaning() const = 0;
  /// The position biases w [heads, s] by distance, where pairs of positions share them: column j is
  /// j tokens back. Undefined: it has none such.
  virtual at::Tensor filter() const { return {}; }

 protected:
  /// Throws where `state` has seen `length` tokens already.
  static void requireRoom(const CausalState& state, std::int64_t length);
};

}  // namespace headlight
