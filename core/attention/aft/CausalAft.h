// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Causal AFT over a sequence (Zhai et al. 2021, §5.1, §5.2): full, local and simple (Eq. 2, 4, 5)
// with the sums limited to t' ≤ t, for whole sequences at once and for one token after the other.

#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <string>

#include "core/attention/softmax/CausalAttention.h"

namespace headlight {

struct CausalAftOptions {
  std::string mechanism = "aft_local";  ///< aft_full | aft_local | aft_simple
  std::int64_t width = 128;             ///< D
  std::int64_t length = 256;            ///< T: the longest sequence
  std::int64_t rank = 32;               ///< d'
  bool factorized = true;
  std::int64_t window = 32;  ///< aft_local: w counts where t − t' < window
  bool query = true;
};

/// Throws Failure(InvalidConfig) for a mechanism that is not one of the three, and where biases
/// would be too many to hold (TokenPairLimit.h): those of every pair of T positions, or of
/// aft_local with factorized biases those of T with the window (with window 0 there are none).
void checkCausalAft(const CausalAftOptions& options);

/// Y = σ(Q) ⊙ context(K, V), then the projection. Weights: q (absent without query), k, v, proj;
/// position_u and position_v [T, d'] (Eq. 7) or position_bias [T, T], each from N(0, 0.01²).
class CausalAft : public CausalAttention {
 public:
  /// Throws as checkCausalAft().
  explicit CausalAft(const CausalAftOptions& options);

  /// With T positions, the first t rows and columns of w are used. O(B D t²) of full, O(B D t
  /// window) of local with factorized biases, O(B D t) of simple (or of window 0); never a [T, T,
  /// D] tensor.
  at::Tensor forward(const at::Tensor& tokens) override;
  /// In O(B D t) of full, O(B D window) of local, O(B D) of simple; `state` is O(B T D) of full,
  /// O(B window D) of local, O(B D) of simple.
  at::Tensor step(const at::Tensor& token, CausalState& state) override;
  /// One head: the implicit attention of Eq. 3 without the query gate, averaged over all features.
  at::Tensor map(const at::Tensor& tokens) override;
  std::string mapMeaning() const override;

  /// w [t, t] as it is used: 0 outside the window; undefined of aft_simple. What stands above the
  /// diagonal means nothing.
  at::Tensor positionBias(std::int64_t length) const;

 private:
  at::Tensor context(const at::Tensor& keys, const at::Tensor& values) const;
  bool biased() const { return m_u.defined() || m_bias.defined(); }
  std::int64_t remembered() const;  ///< C of CausalState
  at::Tensor biasRow(std::int64_t position, std::int64_t first) const;
  at::Tensor advance(const at::Tensor& key, const at::Tensor& value, CausalState& state) const;

  CausalAftOptions m_options;
  at::Tensor m_u, m_v;  ///< undefined where not factorized
  at::Tensor m_bias;    ///< undefined where factorized
  torch::nn::Linear m_query{nullptr}, m_key{nullptr}, m_value{nullptr}, m_proj{nullptr};
};

}  // namespace headlight
