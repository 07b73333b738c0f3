// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/linear/TaylorShift.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/attention/base/FusedHeads.h"
#include "core/attention/base/MixedPrecision.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

TaylorShiftOptions taylorOptions(const AttentionOptions& options) {
  return optionsAs<TaylorShiftOptions>(TaylorShift::optionTable(), options.options);
}

at::Tensor unitRowsOf(const at::Tensor& x) {
  return x / x.norm(2, {-1}, /*keepdim=*/true).clamp_min(1e-12);
}

/// Masks that act on logits: all but decays.
HeadLogits withoutDecays(HeadLogits rules) {
  std::replace(rules.rules.begin(), rules.rules.end(), LogitRule::Add, LogitRule::Keep);
  return rules;
}

/// γ^d of every head [H, T, T], 1 where it does not decay; undefined where none does.
at::Tensor decayFactors(const HeadLogits& rules, const at::Tensor& logits) {
  if (std::count(rules.rules.begin(), rules.rules.end(), LogitRule::Add) == 0) return {};
  const at::Tensor ones = at::ones({logits.size(-2), logits.size(-1)}, logits.options());
  std::vector<at::Tensor> factors;
  for (std::size_t h = 0; h < rules.rules.size(); ++h)
    factors.push_back(rules.rules[h] == LogitRule::Add ? rules.masks[h].exp() : ones);
  return at::stack(factors);
}

/// [.., T, d] → [.., T, d²].
at::Tensor pairsOfFeatures(const at::Tensor& x) {
  return (x.unsqueeze(-1) * x.unsqueeze(-2)).flatten(-2);
}

bool choosesEfficient(const TaylorShiftOptions& own, std::int64_t tokens, std::int64_t headWidth) {
  if (own.form != "auto") return own.form == "efficient";
  return tokens >= taylorCrossover(headWidth);
}

std::string crossoverNotice(bool efficient, std::int64_t tokens, std::int64_t headWidth) {
  return tr("TaylorShift computes ") + std::to_string(tokens) + tr(" tokens by its ") +
         (efficient ? tr("efficient") : tr("direct")) + tr(" form; heads of width ") +
         std::to_string(headWidth) + tr(" take fewer operations in the efficient form from ") +
         std::to_string(taylorCrossover(headWidth)) + tr(" tokens, and less memory from ") +
         std::to_string(taylorMemoryCrossover(headWidth));
}

}  // namespace

std::int64_t taylorCrossover(std::int64_t headWidth) {
  const std::int64_t d = headWidth, direct = 4 * d + 6;
  return (4 * d * d * d + 10 * d * d + 9 * d + 4 + direct - 1) / direct;
}

std::int64_t taylorMemoryCrossover(std::int64_t headWidth) {
  const double d = static_cast<double>(headWidth), square = d * d;
  const double root = std::sqrt(square * square + 12 * square * d + 14 * square + 4 * d + 1);
  return static_cast<std::int64_t>(std::ceil((square + 2 * d + 1 + root) / 4));
}

at::Tensor taylorSoftmax(const at::Tensor& logits, const at::Tensor& factors) {
  const at::Tensor forbidden = logits.detach().isinf(), x = logits.masked_fill(forbidden, 0);
  at::Tensor terms = (1 + x + x * x / 2).masked_fill(forbidden, 0);
  if (factors.defined()) terms = terms * factors;
  return terms / terms.sum(-1, /*keepdim=*/true);
}

at::Tensor taylorEfficient(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
  // A column of ones makes the denominators; over T all sums stay of the size of a value.
  const at::Tensor values =
      at::cat({at::ones_like(v.narrow(-1, 0, 1)), v}, -1) / static_cast<double>(v.size(-2));
  const at::Tensor linear = at::matmul(q, at::matmul(k.transpose(-2, -1), values));
  const at::Tensor square =
      at::matmul(pairsOfFeatures(q), at::matmul(pairsOfFeatures(k).transpose(-2, -1), values));
  const at::Tensor sums = values.sum(-2, /*keepdim=*/true) + linear + square / 2;
  return sums.narrow(-1, 1, v.size(-1)) / sums.narrow(-1, 0, 1);
}

const ParameterTable& TaylorShift::optionTable() {
  using O = TaylorShiftOptions;
  static const ParameterTable table =
      TableBuilder<O>()
          .choice(&O::form, "form", {"auto", "direct", "efficient"},
                  "Direct (all pairs of tokens) or efficient (all pairs of features): the same "
                  "result. auto: efficient from N0 = d^2 + d + 1 tokens, d the head width.")
          .boolean(&O::outputScale, "output_scale",
                   "Multiply the output by the root of tokens over head width.")
          .build();
  return table;
}

TaylorShift::TaylorShift(const AttentionOptions& options)
    : MaskedAttention(options.layer, options.heads, options.grid),
      m_options(options),
      m_own(taylorOptions(options)),
      m_tokens(options.grid.tokens()) {
  const int width = options.width;
  m_qkv = register_module(
      "qkv", AdaptableLinear(torch::nn::LinearOptions(width, 3 * width).bias(options.qkvBias)));
  m_temperature = register_parameter("taylor_temperature", at::ones({options.heads}));
  m_proj = register_module("proj", AdaptableLinear(width, width));
}

void TaylorShift::count(CostCounter& counter, const AttentionOptions& options) {
  const std::int64_t width = options.width, tokens = options.grid.tokens(),
                     each = width / options.heads;
  const bool efficient = choosesEfficient(taylorOptions(options), tokens, each);
  counter.linear("qkv", width, 3 * width, options.qkvBias, tokens);
  counter.parameters("taylor_temperature", options.heads);
  // Efficient: pairs of features with values and their ones, there and back, then features.
  counter.macs(efficient ? "keys times values, queries" : "logits and values",
               efficient ? 2 * tokens * options.heads * (each * each + each) * (each + 1)
                         : 2 * tokens * tokens * width);
  counter.linear("proj", width, width, true, tokens);
  counter.notice(crossoverNotice(efficient, tokens, each));
}

bool TaylorShift::isEfficient(std::int64_t tokens) const {
  return !m_masked && choosesEfficient(m_own, tokens, m_options.width / m_options.heads);
}

void TaylorShift::setMasks(const std::vector<HeadMask>& masks) {
  const bool masked = std::any_of(masks.begin(), masks.end(),
                                  [](const HeadMask& mask) { return mask.kind != MaskKind::None; });
  if (masked && m_own.form == "efficient")
    throw Failure({ErrorCode::InvalidConfig,
                   tr("the efficient form of TaylorShift has no logits to mask; use "
                      "model.attention.form auto or direct, or no masks"),
                   "masks"});
  MaskedAttention::setMasks(masks);
  m_masked = masked;
}

void TaylorShift::setGrid(const Grid& grid) {
  moveTo(grid);
  m_tokens = grid.tokens();
}

std::string TaylorShift::mapMeaning() const {
  return "TaylorShift: 1 + x + x²/2 of the logits over its sum; each row sums to 1, before the "
         "output is scaled.";
}

std::string TaylorShift::kernelText() const {
  return isEfficient(m_tokens) ? "efficient form: matrix products over pairs of features"
                               : "direct form: matrix products over all pairs of tokens";
}

at::Tensor TaylorShift::weightsOf(const at::Tensor& logits) {
  const HeadLogits rules = logitMasks(logits.options()), others = withoutDecays(rules);
  return taylorSoftmax(others.anyMasked() ? maskedLogits(logits, others) : logits,
                       decayFactors(rules, logits));
}

at::Tensor TaylorShift::mixed(const at::Tensor& queries, const at::Tensor& keys,
                              const at::Tensor& v, AttentionHook* tap) {
  const Float32Scope exact;
  const at::Tensor q = unitRowsOf(queries) * m_temperature.view({-1, 1, 1}), k = unitRowsOf(keys);
  const bool wanted = tap && tap->wants(m_options.layer), efficient = isEfficient(m_tokens);
  at::Tensor weights;
  if (wanted || !efficient) weights = weightsOf(at::matmul(q, k.transpose(-2, -1)));
  const at::Tensor y = efficient ? taylorEfficient(q, k, v) : at::matmul(weights, v);
  if (wanted) {
    tap->take(m_options.layer, weights.detach());
    tap->follow(m_options.layer, {{{weights.detach(), v, y}}});
  }
  const double ratio = static_cast<double>(m_tokens) / static_cast<double>(v.size(-1));
  return m_own.outputScale ? y * std::sqrt(ratio) : y;
}

at::Tensor TaylorShift::forward(const at::Tensor& tokens, AttentionHook* tap) {
  m_tokens = tokens.size(1);
  const FusedHeads all = fusedHeads(m_qkv(tokens), m_options.heads);
  const at::Tensor heads = mixed(all.query, all.key, all.value, tap);
  return m_proj(throughHook(tap, headsBesideEachOther(heads)));
}

}  // namespace headlight
