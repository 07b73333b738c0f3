#pragma once
// Causal AFT over a sequence (Zhai et al. 2021, §5.1, §5.2): full, local and simple (Eq. 2, 4, 5)
// with the sums limited to t' ≤ t, for whole sequences at once and for one token after the other.

#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <string>

namespace headlight {

struct CausalAftOptions {
  std::string mechanism = "aft_local";  ///< aft_full | aft_local | aft_simple
  std::int64_t width = 128;             ///< D
  std::int64_t length = 256;            ///< T: the longest sequence
  std::int64_t rank = 32;               ///< d'
  bool factorised = true;
  std::int64_t window = 32;  ///< aft_local: w counts where t − t' < window
  bool query = true;
};

/// Throws Failure(InvalidConfig) for a mechanism that is not one of the three, and where biases
/// would be too many to hold (HoldablePairs.h): those of every pair of T positions, or of aft_local
/// with factorised biases those of T with the window (with window 0 there are none).
void checkCausalAft(const CausalAftOptions& options);

/// What a layer remembers of the tokens so far while a sequence grows. Begins empty; the first
/// CausalAft::step() gives it its size: O(B T D) of AFT-full, O(B window D) of AFT-local, O(B D) of
/// AFT-simple.
struct CausalAftState {
  std::int64_t position = 0;  ///< tokens so far
  /// K and V [C, B, D] of tokens whose bias is not 0: all (full) or the last window of them
  /// (local), as a ring: token t stands at t mod C.
  at::Tensor keys, values;
  /// Of the tokens further back, [B, D]: the maximum of K, Σ e^{K − maximum}, Σ e^{K − maximum} V.
  at::Tensor maximum, weights, weighted;
};

/// Y = σ(Q) ⊙ context(K, V), then the projection. Weights: q (absent without query), k, v, proj;
/// position_u and position_v [T, d'] (Eq. 7) or position_bias [T, T], each from N(0, 0.01²).
class CausalAft : public torch::nn::Module {
 public:
  /// Throws as checkCausalAft().
  explicit CausalAft(const CausalAftOptions& options);

  /// [B, t, D] → [B, t, D] with t ≤ T, whose first t rows and columns of w are used. Position t'
  /// takes part in t only where t' ≤ t. O(B D t²) of full, O(B D t window) of local with factorised
  /// biases, O(B D t) of simple (or of window 0); never a [T, T, D] tensor.
  at::Tensor forward(const at::Tensor& tokens);

  /// The token [B, D] after those that `state` has seen → what forward() has at its place, and
  /// `state` with it. In O(B D t) of full, O(B D window) of local, O(B D) of simple. For use
  /// without gradients. Throws Failure(InvalidArgument) for a token after the T-th.
  at::Tensor step(const at::Tensor& token, CausalAftState& state);

  /// w [t, t] as it is used: 0 outside the window; undefined of aft_simple. What stands above the
  /// diagonal means nothing.
  at::Tensor positionBias(std::int64_t length) const;

 private:
  at::Tensor context(const at::Tensor& keys, const at::Tensor& values) const;
  bool biased() const { return m_u.defined() || m_bias.defined(); }
  std::int64_t remembered() const;  ///< C of CausalAftState
  at::Tensor biasRow(std::int64_t position, std::int64_t first) const;
  at::Tensor advance(const at::Tensor& key, const at::Tensor& value, CausalAftState& state) const;

  CausalAftOptions m_options;
  at::Tensor m_u, m_v;  ///< undefined where not factorised
  at::Tensor m_bias;    ///< undefined where factorised
  torch::nn::Linear m_query{nullptr}, m_key{nullptr}, m_value{nullptr}, m_proj{nullptr};
};

}  // namespace headlight
