// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Synthesizer (Tay et al. 2021): softmax attention whose logits come from each token alone
// (dense), or from the positions alone (random). A baseline of AFT's Table 4.

#include "core/attention/base/AdaptableLinear.h"

#include <string>

#include "core/attention/softmax/MaskedAttention.h"

namespace headlight {

struct SynthesizerOptions {
  std::string synthesis = "dense";  ///< dense | random | factorized
  int rank = 8;
};

/// Names, shapes and deviations of the parameters that the logits of `length` positions come from,
/// beside `hidden`, which only dense ones have.
struct SynthesizerShapes {
  std::string first, second;  ///< names; the second empty where there is one
  std::vector<std::int64_t> firstShape, secondShape;
  double firstDeviation = 0, secondDeviation = 0;
};
/// dense: logit_weight [H·T, d] and logit_bias [H·T]; random: random_logits [H, T, T]; factorized:
/// random_u and random_v [H, T, rank], whose products have the deviation 1.
SynthesizerShapes synthesizerShapes(const std::string& synthesis, std::int64_t heads,
                                    std::int64_t headWidth, std::int64_t length, std::int64_t rank);

/// Logits of rows [first, last) and the columns before `columns`, [B or 1, H, rows, columns].
/// `tokens` [B, T, H, d]: for dense ones relu(hidden(x)), else undefined; parameters as above.
at::Tensor synthesizedLogits(const at::Tensor& tokens, const at::Tensor& first,
                             const at::Tensor& second, std::int64_t heads, std::int64_t firstRow,
                             std::int64_t lastRow, std::int64_t columns);

/// The mechanism `synthesizer`: A = softmax(mask(B)), out = proj(A·V). Weights: hidden (dense),
/// value, proj, and SynthesizerShapes. Its columns, or rows and columns, are positions: one image
/// size.
class Synthesizer : public MaskedAttention {
 public:
  explicit Synthesizer(const AttentionOptions& options);
  static const ParameterTable& optionTable();
  static void count(CostCounter& counter, const AttentionOptions& options);

  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap) override;
  HeadProjection headProjection() const override { return {m_proj->weight}; }
  std::string mapMeaning() const override;
  std::string kernelText() const override { return "matrix products"; }
  bool mayDecay(const std::string& parameter) const override { return parameter == "logit_weight"; }

 private:
  AttentionOptions m_options;
  SynthesizerOptions m_own;
  at::Tensor m_first, m_second;
  AdaptableLinear m_hidden{nullptr}, m_value{nullptr}, m_proj{nullptr};
};

}  // namespace headlight
