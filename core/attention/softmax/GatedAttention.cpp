// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/softmax/GatedAttention.h"

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/softmax/SoftmaxRows.h"

namespace headlight {
namespace {

/// Gates of a token: one a feature, or one a head.
int gatesOf(const AttentionOptions& options) {
  const auto own = optionsAs<GatedAttentionOptions>(GatedAttention::optionTable(), options.options);
  return own.gate == "headwise" ? options.heads : options.width;
}

}  // namespace

const ParameterTable& GatedAttention::optionTable() {
  using O = GatedAttentionOptions;
  static const ParameterTable table =
      TableBuilder<O>()
          .choice(&O::gate, "gate", {"elementwise", "headwise"},
                  "A sigmoid gate for every feature of every head, or one for each head.")
          .build();
  return table;
}

GatedAttention::GatedAttention(const AttentionOptions& options)
    : MaskedAttention(options.layer, options.heads, options.grid), m_options(options) {
  const int width = options.width;
  m_qkv = register_module(
      "qkv", AdaptableLinear(torch::nn::LinearOptions(width, 3 * width).bias(options.qkvBias)));
  m_gate = register_module("output_gate", AdaptableLinear(width, gatesOf(options)));
  m_proj = register_module("proj", AdaptableLinear(width, width));
}

void GatedAttention::count(CostCounter& counter, const AttentionOptions& options) {
  const std::int64_t width = options.width, tokens = options.grid.tokens();
  counter.linear("qkv", width, 3 * width, options.qkvBias, tokens);
  counter.products("logits and values", options.layer, options.grid, options.heads,
                   width / options.heads);
  counter.linear("output_gate", width, gatesOf(options), true, tokens);
  counter.linear("proj", width, width, true, tokens);
}

std::string GatedAttention::mapMeaning() const {
  return "Gated softmax attention: each row sums to 1 over the tokens that its query attends to, "
         "before the output is gated.";
}

std::vector<std::pair<std::string, double>> GatedAttention::readings() const {
  if (!m_meanGate.defined()) return {};
  return {{"gate", m_meanGate.item<double>()}};
}

at::Tensor GatedAttention::attended(const at::Tensor& tokens, AttentionHook* tap) {
  const bool wanted = tap && tap->wants(m_options.layer);
  const at::Tensor given = m_qkv(tokens), qkv = wanted ? inFloat32(given) : given;
  const HeadInputs inputs = HeadInputs::packed(qkv, m_options.heads);
  const HeadLogits logits = logitMasks(qkv.options(), linearKernelsTake(qkv));
  const AttentionOutput result = runHeads(inputs, logits, wanted);
  if (wanted) {
    tap->take(m_options.layer, result.map);
    tap->follow(m_options.layer, {{{result.map, inputs.part(2), result.output}}});
    if (tap->wantsRows(m_options.layer))
      tap->keep(m_options.layer, std::make_shared<SoftmaxRows>(inputs, logits));
  }
  return result.output;
}

at::Tensor GatedAttention::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const std::int64_t batch = tokens.size(0), count = tokens.size(1);
  const at::Tensor gate = inFloat32(m_gate(tokens)).sigmoid();
  m_meanGate = gate.detach().mean();
  const at::Tensor heads = attended(tokens, tap).view({batch, count, m_options.heads, -1});
  const at::Tensor gated = heads * gate.view({batch, count, m_options.heads, -1});
  return m_proj(throughHook(tap, gated.flatten(2)));
}

}  // namespace headlight
