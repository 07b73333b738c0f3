// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Synthesizer over a sequence (Tay et al. 2021), each position limited to those up to it.

#include <torch/nn/modules/linear.h>

#include <string>

#include "core/attention/softmax/CausalAttention.h"
#include "core/attention/softmax/Synthesizer.h"

namespace headlight {

struct CausalSynthesizerOptions {
  std::string synthesis = "dense";  ///< dense | random | factorized
  std::int64_t width = 128;         ///< D
  std::int64_t heads = 4;           ///< H; divides D
  std::int64_t length = 256;        ///< T: the longest sequence
  std::int64_t rank = 8;            ///< factorized

  SynthesizerShapes shapes() const {
    return synthesizerShapes(synthesis, heads, width / heads, length, rank);
  }
};

/// Throws Failure(InvalidConfig) for heads that do not divide the width, and for sequences so long
/// that a head's logits for all pairs of tokens are too many to hold (TokenPairLimit.h).
void checkCausalSynthesizer(const CausalSynthesizerOptions& options);

/// Weights: hidden (dense), value, proj, and SynthesizerShapes.
class CausalSynthesizer : public CausalAttention {
 public:
  /// Throws as checkCausalSynthesizer().
  explicit CausalSynthesizer(const CausalSynthesizerOptions& options);

  /// O(B D t²), in blocks of rows: what lies above the diagonal is left out but for those.
  at::Tensor forward(const at::Tensor& tokens) override;
  /// O(B D t): V of the tokens before is remembered, O(B D T).
  at::Tensor step(const at::Tensor& token, CausalState& state) override;
  at::Tensor map(const at::Tensor& tokens) override;
  std::string mapMeaning() const override;

 private:
  /// relu(hidden(x)) [B, t, H, d]; undefined but for dense logits.
  at::Tensor hiddenOf(const at::Tensor& tokens);
  /// [B or 1, H, rows, last] of positions `first` to `last` − 1.
  at::Tensor rowWeights(const at::Tensor& hidden, std::int64_t first, std::int64_t last) const;

  CausalSynthesizerOptions m_options;
  at::Tensor m_first, m_second;
  torch::nn::Linear m_hidden{nullptr}, m_value{nullptr}, m_proj{nullptr};
};

}  // namespace headlight
