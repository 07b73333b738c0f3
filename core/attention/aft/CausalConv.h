// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// AFT-conv along a sequence: Eq. 6 of Zhai et al. 2021, which the paper states for 1-D inputs, with
// its sums limited to t' ≤ t as §5.1 and §5.2 limit those of the other forms. The paper has no
// experiment with it. So of the s taps none lies ahead: tap j weighs the token j places back,
// 0 ≤ j < s, as aft_local's window counts, and the convolution ends at the start of the sequence.
// Position embeddings stay as with every other mechanism of the decoder: the paper leaves them out
// of images of any size, and here T is fixed.

#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <string>

#include "core/attention/softmax/CausalAttention.h"

namespace headlight {

struct CausalConvOptions {
  std::int64_t width = 128;   ///< D
  std::int64_t heads = 4;     ///< h; divides D
  std::int64_t length = 256;  ///< T: the longest sequence
  std::int64_t window = 32;   ///< s
  bool reparametrize = true;
  bool query = true;
};

/// Throws Failure(InvalidConfig) for heads that do not divide the width, and for a window that is 0
/// or too large to hold (TokenPairLimit.h).
void checkCausalConv(const CausalConvOptions& options);

/// Eq. 6 with t' ≤ t and without the query gate; per head
///   [ Σ_{j<s} (e^{w_j} − 1) e^{K_{t−j}} V_{t−j} + Σ_{t'≤t} e^{K_t'} V_t' ] / [ the same without V ].
/// keys [B, T, h], values [B, T, D], w [h, s]. O(B T s D): products of blocks with the taps as a
/// matrix, and running sums of the tokens behind them, so that nothing cancels where w is very
/// negative. Later tokens change no bit of earlier results as long as K spans less than 87 over the
/// tokens, as in aftContext().
at::Tensor causalConvContext(const at::Tensor& keys, const at::Tensor& values,
                             const at::Tensor& bias);

/// Y = σ(Q) ⊙ context(K, V), then the projection. Weights: q (absent without query), k [h, D], v,
/// proj; position_bias [h, s] from N(0, 0.01²) and, with the reparametrization (Eq. 8),
/// position_gain and position_shift [h], which begin at 0. Nothing but the limit knows T.
class CausalConv : public CausalAttention {
 public:
  /// Throws as checkCausalConv().
  explicit CausalConv(const CausalConvOptions& options);

  at::Tensor forward(const at::Tensor& tokens) override;
  /// O(B D s); `state` is O(B s D).
  at::Tensor step(const at::Tensor& token, CausalState& state) override;
  /// The implicit attention of Eq. 3 without the query gate, the same for all features of a head.
  at::Tensor map(const at::Tensor& tokens) override;
  std::string mapMeaning() const override;

  /// w [h, s] after Eq. 8; column j is j tokens back.
  at::Tensor filter() const override;

 private:
  at::Tensor gated(const at::Tensor& tokens, const at::Tensor& reduced);
  at::Tensor advance(const at::Tensor& key, const at::Tensor& value, CausalState& state) const;
  void beginState(const at::Tensor& key, const at::Tensor& value, CausalState& state) const;

  CausalConvOptions m_options;
  at::Tensor m_bias, m_gain, m_shift;  ///< gain and shift undefined without the reparametrization
  torch::nn::Linear m_query{nullptr}, m_key{nullptr}, m_value{nullptr}, m_proj{nullptr};
};

}  // namespace headlight
