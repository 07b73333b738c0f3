// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/softmax/Synthesizer.h"

#include <ATen/ATen.h>

#include <cmath>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/base/TokenPairLimit.h"

namespace headlight {
namespace {

constexpr double kDenseDeviation = 0.02;  // as of other linear maps

SynthesizerOptions synthesizerOptions(const AttentionOptions& options) {
  auto own = optionsAs<SynthesizerOptions>(Synthesizer::optionTable(), options.options);
  const std::int64_t tokens = options.grid.tokens();
  if (own.synthesis == "random")
    requireTokenPairsFit(tokens, tokens, "model.attention.synthesis", "use dense or factorized");
  return own;
}

SynthesizerShapes shapesOf(const AttentionOptions& options, const SynthesizerOptions& own) {
  return synthesizerShapes(own.synthesis, options.heads, options.width / options.heads,
                           options.grid.tokens(), own.rank);
}

std::int64_t entriesOf(const std::vector<std::int64_t>& shape) {
  std::int64_t entries = shape.empty() ? 0 : 1;
  for (const std::int64_t side : shape)
    entries *= side;
  return entries;
}

/// Rows × columns of logits by a product over `tokens` [.., H, rows, d] and `keys` [H, columns, d].
at::Tensor productLogits(const at::Tensor& rows, const at::Tensor& keys) {
  return at::matmul(rows, keys.transpose(-2, -1));
}

}  // namespace

SynthesizerShapes synthesizerShapes(const std::string& synthesis, std::int64_t heads,
                                    std::int64_t headWidth, std::int64_t length,
                                    std::int64_t rank) {
  if (synthesis == "dense")
    return {"logit_weight",   "logit_bias",    {heads * length, headWidth},
            {heads * length}, kDenseDeviation, 0};
  if (synthesis == "random") return {"random_logits", "", {heads, length, length}, {}, 1, 0};
  const double each = std::pow(static_cast<double>(rank), -0.25);
  return {"random_u", "random_v", {heads, length, rank}, {heads, length, rank}, each, each};
}

at::Tensor synthesizedLogits(const at::Tensor& tokens, const at::Tensor& first,
                             const at::Tensor& second, std::int64_t heads, std::int64_t firstRow,
                             std::int64_t lastRow, std::int64_t columns) {
  if (tokens.defined()) {
    const at::Tensor weight = first.view({heads, -1, first.size(1)}).slice(1, 0, columns),
                     bias = second.view({heads, 1, -1}).slice(2, 0, columns);
    return productLogits(tokens.slice(1, firstRow, lastRow).transpose(1, 2), weight) + bias;
  }
  if (second.defined())
    return productLogits(first.slice(1, firstRow, lastRow), second.slice(1, 0, columns))
        .unsqueeze(0);
  return first.slice(1, firstRow, lastRow).slice(2, 0, columns).unsqueeze(0);
}

const ParameterTable& Synthesizer::optionTable() {
  using O = SynthesizerOptions;
  static const ParameterTable table =
      TableBuilder<O>()
          .choice(&O::synthesis, "synthesis", {"dense", "random", "factorized"},
                  "Logits by a small MLP of each token (dense), learned for every pair of "
                  "positions (random), or as a product of two thin matrices (factorized).")
          .integer(&O::rank, "rank", 1, 1024, "factorized: width of the two matrices.")
          .build();
  return table;
}

Synthesizer::Synthesizer(const AttentionOptions& options)
    : MaskedAttention(options.layer, options.heads, options.grid),
      m_options(options),
      m_own(synthesizerOptions(options)) {
  const auto linear = [&](const char* name, bool bias) {
    return register_module(
        name, AdaptableLinear(torch::nn::LinearOptions(options.width, options.width).bias(bias)));
  };
  if (m_own.synthesis == "dense") m_hidden = linear("hidden", options.qkvBias);
  m_value = linear("value", options.qkvBias);
  m_proj = linear("proj", true);
  const SynthesizerShapes shapes = shapesOf(options, m_own);
  const at::NoGradGuard noGrad;
  m_first = register_parameter(shapes.first,
                               at::empty(shapes.firstShape).normal_(0, shapes.firstDeviation));
  if (!shapes.second.empty())
    m_second = register_parameter(
        shapes.second, shapes.secondDeviation > 0
                           ? at::empty(shapes.secondShape).normal_(0, shapes.secondDeviation)
                           : at::zeros(shapes.secondShape));
}

void Synthesizer::count(CostCounter& counter, const AttentionOptions& options) {
  const SynthesizerOptions own = synthesizerOptions(options);
  const SynthesizerShapes shapes = shapesOf(options, own);
  const std::int64_t width = options.width, tokens = options.grid.tokens();
  const bool dense = own.synthesis == "dense";
  if (dense) counter.linear("hidden", width, width, options.qkvBias, tokens);
  counter.linear("value", width, width, options.qkvBias, tokens);
  // Those of random logits are the same for every image and count as none.
  counter.weights("logits", entriesOf(shapes.firstShape) + entriesOf(shapes.secondShape),
                  dense ? tokens * tokens * width : 0);
  counter.macs("values", tokens * tokens * width);
  counter.linear("proj", width, width, true, tokens);
}

std::string Synthesizer::mapMeaning() const {
  return m_own.synthesis == "dense"
             ? "Synthesizer: the softmax of logits that each token makes of itself, by position of "
               "the key; each row sums to 1."
             : "Synthesizer: the softmax of logits that are learned by position, the same for "
               "every image; each row sums to 1.";
}

at::Tensor Synthesizer::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const std::int64_t batch = tokens.size(0), count = tokens.size(1), heads = m_options.heads;
  at::Tensor hidden, mixed;
  if (m_hidden) hidden = inFloat32(m_hidden(tokens)).relu().view({batch, count, heads, -1});
  const at::Tensor values =
      inFloat32(m_value(tokens)).view({batch, count, heads, -1}).transpose(1, 2);
  {
    const Float32Scope exact;
    const at::Tensor logits = synthesizedLogits(hidden, m_first, m_second, heads, 0, count, count);
    const at::Tensor weights = masked(logits).softmax(-1).expand({batch, heads, count, count});
    mixed = at::matmul(weights, values);
    if (tap && tap->wants(m_options.layer)) {
      tap->take(m_options.layer, weights.detach());
      tap->follow(m_options.layer, {{{weights.detach(), values, mixed}}});
    }
  }
  return m_proj(throughHook(tap, mixed.transpose(1, 2).reshape({batch, count, -1})));
}

}  // namespace headlight
