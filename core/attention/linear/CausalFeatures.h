// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Linear Transformer and the Performer over a sequence (Katharopoulos et al. 2020, Eq. 9 to 20;
// Choromanski et al. 2021, §2.5.1): linear in the positions, and one token after the other in
// constant time and memory.

#include <torch/nn/modules/linear.h>

#include <optional>
#include <string>

#include "core/attention/linear/RandomFeatures.h"
#include "core/attention/softmax/CausalAttention.h"

namespace headlight {

struct CausalFeatureOptions {
  std::string mechanism = "linear_transformer";  ///< or "performer"
  std::int64_t width = 128;                      ///< D
  std::int64_t heads = 4;                        ///< H; divides D
  std::int64_t length = 256;                     ///< T: the longest sequence
  std::int64_t features = 0;                     ///< performer: m; 0: d·ln d (randomFeatureCount)
  int featureSeed = 0;                           ///< performer: its vectors are never drawn anew
  int layer = 0;                                 ///< performer: each layer has its own
};

/// Throws Failure(InvalidConfig) for heads that do not divide the width.
void checkCausalFeatures(const CausalFeatureOptions& options);

/// m of a head.
std::int64_t causalFeatureCount(const CausalFeatureOptions& options);

/// φ_t Σ_{s ≤ t} ψ_s v_sᵀ over φ_t·Σ_{s ≤ t} ψ_s: φ, ψ [B, H, T, m], values [B, H, T, e] →
/// [B, H, T, e]. In chunks: pairs within one, sums over those before it. Later tokens change no bit
/// of earlier results. With whole `powers` [B, H, T, 1] the keys are ψ_s 2^power_s, which may lie
/// further apart than a float reaches: each row is divided by the greatest up to it.
at::Tensor causalFeatureMixed(const at::Tensor& query, const at::Tensor& key,
                              const at::Tensor& values, const at::Tensor& powers = {});
/// Positions that its chunks have, for a sequence of `length`.
std::int64_t causalChunk(std::int64_t length);

/// Weights as timm's: qkv, proj.
class CausalFeatures : public CausalAttention {
 public:
  /// Throws as checkCausalFeatures().
  explicit CausalFeatures(const CausalFeatureOptions& options);

  at::Tensor forward(const at::Tensor& tokens) override;
  /// O(B H m d), of which the state keeps Σ ψ vᵀ and Σ ψ.
  at::Tensor step(const at::Tensor& token, CausalState& state) override;
  at::Tensor map(const at::Tensor& tokens) override;
  std::string mapMeaning() const override;

 private:
  struct Features {
    at::Tensor query, key;
    at::Tensor powers;  ///< of a Performer's keys: causalFeatureMixed()
    at::Tensor values;
  };
  Features featuresOf(const at::Tensor& tokens);
  at::Tensor stepKey(const at::Tensor& key, CausalState& state);
  at::Tensor queryFeatures(const at::Tensor& queries);

  CausalFeatureOptions m_options;
  std::optional<RandomFeatures> m_random;  ///< of the Performer
  torch::nn::Linear m_qkv{nullptr}, m_proj{nullptr};
};

}  // namespace headlight
