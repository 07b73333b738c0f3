// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/softmax/GatedPositionalAttention.h"

#include <ATen/ATen.h>

#include <cmath>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/base/TokenPairLimit.h"
#include "core/base/ModelPart.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

/// r[n, m] = (Δcol, Δrow, Δcol² + Δrow²), Δ from query n to key m, in patches: [N, N, 3].
at::Tensor offsetsOn(const Grid& grid) {
  requireTokenPairsFit(grid.patches());
  const at::Tensor patch = at::arange(grid.patches());
  const at::Tensor row = at::floor_divide(patch, grid.cols), col = at::remainder(patch, grid.cols);
  const at::Tensor down = (row.unsqueeze(0) - row.unsqueeze(1)).to(at::kFloat),
                   right = (col.unsqueeze(0) - col.unsqueeze(1)).to(at::kFloat);
  return at::stack({right, down, right.square() + down.square()}, -1);
}

}  // namespace

const ParameterTable& GatedPositionalAttention::optionTable() {
  using O = GatedPositionalOptions;
  static const ParameterTable table =
      TableBuilder<O>()
          .number(&O::localityStrength, "locality_strength", 0, 100,
                  "Initial sharpness of each head's attention to its own position.")
          .number(&O::gate, "gate", -20, 20,
                  "Initial gate of every head; its sigmoid is the share of positional attention.")
          .build();
  return table;
}

GatedPositionalAttention::GatedPositionalAttention(const AttentionOptions& options)
    : MaskedAttention(options.layer, options.heads, options.grid),
      m_options(options),
      m_own(optionsAs<GatedPositionalOptions>(GatedPositionalAttention::optionTable(),
                                              options.options)),
      m_offsets(offsetsOn(options.grid)) {
  if (options.grid.prefix > 0)
    throw Failure({ErrorCode::InvalidConfig,
                   tr("gated positional attention works only between patches; for a class token "
                      "use the backbone convit, where it joins later"),
                   "model.mechanism"});
  using torch::nn::LinearOptions;
  const int width = options.width;
  m_qk =
      register_module("qk", AdaptableLinear(LinearOptions(width, 2 * width).bias(options.qkvBias)));
  m_v = register_module("v", AdaptableLinear(LinearOptions(width, width).bias(options.qkvBias)));
  m_proj = register_module("proj", AdaptableLinear(width, width));
  m_positions = register_module("pos_proj", AdaptableLinear(3, options.heads));
  m_gate = register_parameter("gating_param", at::full({options.heads}, m_own.gate));
  initializeLocally();
}

void GatedPositionalAttention::count(CostCounter& counter, const AttentionOptions& options) {
  requireTokenPairsFit(options.grid.patches());
  const std::int64_t width = options.width, tokens = options.grid.tokens();
  counter.linear("qk", width, 2 * width, options.qkvBias, tokens);
  counter.linear("v", width, width, options.qkvBias, tokens);
  counter.parameters("pos_proj", std::int64_t{4} * options.heads);
  counter.parameters("gating_param", options.heads);
  counter.products("logits and values", options.layer, options.grid, options.heads,
                   width / options.heads);
  counter.macs("positions and values", tokens * tokens * width);
  counter.linear("proj", width, width, true, tokens);
}

std::string GatedPositionalAttention::mapMeaning() const {
  return "Gated positional attention: content and position, mixed by each head's gate; each row "
         "sums to 1.";
}

void GatedPositionalAttention::train(bool on) {
  m_positional.forget();
  MaskedAttention::train(on);
}

void GatedPositionalAttention::initializeLocally() {
  const at::NoGradGuard noGrad;
  m_v->weight.copy_(at::eye(m_options.width));
  // v of a head that is to look at the offset Δ: −α(1, −2Δ) in (‖δ‖², δ), so that v · r is
  // −α‖δ − Δ‖² but for a constant. Heads beyond the square look where they happen to.
  const int side = static_cast<int>(std::sqrt(static_cast<double>(m_options.heads)));
  const double center = (side - 1) / 2.0;
  at::Tensor& weight = m_positions->weight;  // [H, 3]
  weight.normal_(0, 0.02);
  m_positions->bias.zero_();
  for (int right = 0; right < side; ++right)
    for (int down = 0; down < side; ++down) {
      const int head = down + side * right;
      weight[head][0] = 2 * (right - center);
      weight[head][1] = 2 * (down - center);
      weight[head][2] = -1;
    }
  weight.mul_(m_own.localityStrength);
}

at::Tensor GatedPositionalAttention::positional() {
  const PartScope scope(ModelPart::Attention, /*whole=*/true);  // scores come of a linear layer
  return m_positional.get({m_positions->weight, m_positions->bias}, [&] {
    const Float32Scope exact;  // squared distances have more digits than 16 bits hold
    m_offsets = m_offsets.to(m_positions->weight.options().requires_grad(false));
    return at::softmax(m_positions(m_offsets).permute({2, 0, 1}), -1).contiguous();
  });
}

/// A is never formed but for the tap: A V = (1 − σ)·softmax(QKᵀ/√d) V + σ·softmax(v · r) V, of
/// which the first is the softmax attention that has a kernel, the second one product a head for
/// all images together.
at::Tensor GatedPositionalAttention::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const std::int64_t images = tokens.size(0), count = tokens.size(1), heads = m_options.heads,
                     headWidth = m_options.width / heads;
  const bool wanted = tap && tap->wants(m_options.layer);
  const auto read = [&](const at::Tensor& x) { return wanted ? inFloat32(x) : x; };
  const at::Tensor values = read(m_v(tokens)), qkv = at::cat({read(m_qk(tokens)), values}, -1);
  const HeadLogits logits = logitMasks(qkv.options(), linearKernelsTake(qkv));
  const AttentionOutput content =
      runHeads(HeadInputs::packed(qkv, m_options.heads), logits, wanted);
  const at::Tensor where = positional(), gate = at::sigmoid(m_gate);
  const at::Tensor byHead = values.view({images, count, heads, headWidth})
                                .permute({2, 1, 0, 3})
                                .reshape({heads, count, images * headWidth});
  const at::Tensor placed = at::bmm(where, byHead)
                                .view({heads, count, images, headWidth})
                                .permute({2, 1, 0, 3});  // [B, N, H, d]
  const at::Tensor share = gate.view({heads, 1});
  const at::Tensor mixed =
      (content.output.view({images, count, heads, headWidth}) * (1 - share) + placed * share)
          .view({images, count, m_options.width});
  if (wanted) {
    const at::Tensor ofPlaces = gate.detach().view({heads, 1, 1});
    const at::Tensor map = content.map * (1 - ofPlaces) + where.detach() * ofPlaces;
    tap->take(m_options.layer, map);
    const at::Tensor own = values.view({images, count, heads, headWidth}).transpose(1, 2);
    tap->follow(m_options.layer, {{{map, own, mixed}}});
  }
  return m_proj(throughHook(tap, mixed));
}

}  // namespace headlight
