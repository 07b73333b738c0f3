// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/layers/LevitAttention.h"

#include <ATen/ATen.h>

#include <cstdlib>

#include "core/attention/base/TokenPairLimit.h"
#include "core/attention/kernels/HeadAttention.h"
#include "core/attention/linear/PoolingAttention.h"
#include "core/models/layers/Parts.h"

namespace headlight {
namespace {

/// [B, T, H·(w₀ + w₁ + …)] → one [B, H, T, wᵢ] each.
std::vector<at::Tensor> splitHeads(const at::Tensor& tokens, int heads,
                                   const std::vector<std::int64_t>& widths) {
  return tokens.view({tokens.size(0), tokens.size(1), heads, -1})
      .transpose(1, 2)
      .split_with_sizes(widths, -1);
}

/// [B, H, T, e] → [B, T, H·e].
at::Tensor sideBySide(const at::Tensor& heads) {
  return heads.transpose(1, 2).flatten(2);
}

int qkvWidth(const LevitAttentionOptions& o) {
  return o.attention.heads * (2 * o.keyWidth + o.valueWidth);
}

/// What both mechanisms have: the two projections.
void countProjections(CostCounter& counter, const LevitAttentionOptions& options) {
  const auto& [attention, keyWidth, valueWidth, tokenPooling] = options;
  const std::int64_t tokens = attention.grid.tokens();
  LinearNorm::count(counter, "qkv", attention.width, qkvWidth(options), tokens);
  LinearNorm::count(counter, "proj.ln", attention.heads * valueWidth, attention.width, tokens);
}

}  // namespace

void DistanceBias::check(const Grid& grid, int queryStride, int keyStride) {
  requireTokenPairsFit(grid.strided(queryStride).patches(), grid.strided(keyStride).patches(),
                       "model.image_size", "use a smaller image");
}

DistanceBias::DistanceBias(const Grid& grid, int queryStride, int keyStride)
    : m_keys(grid.strided(keyStride).patches()) {
  check(grid, queryStride, keyStride);
  std::vector<std::int64_t> index;
  for (int r = 0; r < grid.rows; r += queryStride)
    for (int c = 0; c < grid.cols; c += queryStride)
      for (int i = 0; i < grid.rows; i += keyStride)
        for (int j = 0; j < grid.cols; j += keyStride)
          index.push_back(std::abs(r - i) * grid.cols + std::abs(c - j));
  m_index = at::tensor(index, at::kLong);
}

at::Tensor DistanceBias::gather(const at::Tensor& table) {
  m_index = m_index.to(table.device());  // follows the model; a no-op otherwise
  return table.index_select(1, m_index).view({table.size(0), -1, m_keys});
}

LevitProjection::LevitProjection(int in, int out, double scale)
    : m_linear(register_module("ln", std::make_shared<LinearNorm>(in, out, scale))) {}

at::Tensor LevitProjection::forward(const at::Tensor& tokens, AttentionHook* tap) {
  return m_linear->forward(throughHook(tap, hardSwish(tokens)));
}

LevitSoftmaxAttention::LevitSoftmaxAttention(const LevitAttentionOptions& options)
    : MaskedAttention(options.attention.layer, options.attention.heads, options.attention.grid,
                      options.keys()),
      m_options(options),
      m_distances(options.attention.grid, 1, options.tokenPooling ? 2 : 1) {
  const auto& [attention, keyWidth, valueWidth, tokenPooling] = options;
  m_biases = register_parameter("attention_biases",
                                at::zeros({attention.heads, attention.grid.patches()}));
  m_qkv = register_module("qkv", std::make_shared<LinearNorm>(attention.width, qkvWidth(options)));
  if (tokenPooling)
    m_pool = register_module(
        "pool", std::make_shared<LevitTokenPool>(attention.grid, keyWidth, valueWidth));
  m_projection = register_module("proj", std::make_shared<LevitProjection>(
                                             attention.heads * valueWidth, attention.width, 0.0));
}

void LevitSoftmaxAttention::count(CostCounter& counter, const LevitAttentionOptions& options) {
  DistanceBias::check(options.attention.grid, 1, options.tokenPooling ? 2 : 1);
  const auto& [attention, keyWidth, valueWidth, tokenPooling] = options;
  const std::int64_t pairs = std::int64_t{attention.grid.patches()} * options.keys().patches();
  counter.parameters("attention_biases", attention.heads * attention.grid.patches());
  countProjections(counter, options);
  if (tokenPooling)
    LevitTokenPool::count(counter, attention.grid, attention.heads, keyWidth, valueWidth);
  counter.macs("logits and values", pairs * attention.heads * (keyWidth + valueWidth));
}

HeadInputs LevitSoftmaxAttention::inputs(const at::Tensor& qkv) {
  const int heads = m_options.attention.heads, keyWidth = m_options.keyWidth;
  if (!m_pool) return HeadInputs::packedByHead(qkv, heads, keyWidth);
  const auto parts = splitHeads(qkv, heads, {keyWidth, keyWidth, m_options.valueWidth});
  return HeadInputs::apart(parts[0], m_pool->keys(parts[1]), m_pool->values(parts[2]));
}

at::Tensor LevitSoftmaxAttention::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const int layer = m_options.attention.layer;
  const bool wanted = tap && tap->wants(layer);
  const at::Tensor qkv = m_qkv->forward(tokens, m_pool ? BehindNorm::Tokens : BehindNorm::Product);
  HeadLogits logits = logitMasks(qkv.options());
  logits.bias = m_distances.gather(m_biases);
  const HeadInputs heads = inputs(qkv);
  const auto [output, map] = runHeads(heads, logits, wanted);
  if (wanted) {
    const auto whole = [this](const at::Tensor& weights) {
      return overQueries(weights, m_options.attention.grid, m_options.keys());
    };
    tap->take(layer, whole(map));
    tap->follow(layer, {{{map, heads.part(2), output}},
                        [whole](const auto& parts) { return whole(parts[0]); }});
  }
  return m_projection->forward(output, tap);
}

std::string LevitSoftmaxAttention::mapMeaning() const {
  const std::string meaning =
      "Softmax attention with distance biases: each row sums to 1 over the patches of its stage.";
  return m_pool ? meaning +
                      " Keys are pooled: each weight is spread evenly over the patches that the "
                      "key covers."
                : meaning;
}

LevitLinearAttention::LevitLinearAttention(const LevitAttentionOptions& options)
    : LinearAngularAttention(options.attention, options.attention.grid), m_options(options) {
  const auto& [attention, keyWidth, valueWidth, tokenPooling] = options;
  m_qkv = register_module("qkv", std::make_shared<LinearNorm>(attention.width, qkvWidth(options)));
  if (m_linear.residual()) register_module("dconv", m_linear.residual());
  m_projection = register_module("proj", std::make_shared<LevitProjection>(
                                             attention.heads * valueWidth, attention.width, 0.0));
}

void LevitLinearAttention::count(CostCounter& counter, const LevitAttentionOptions& options) {
  countProjections(counter, options);
  LinearAngularHeads::count(counter, linearAngularOptions(options.attention.options),
                            options.attention.heads, options.keyWidth, options.valueWidth,
                            options.attention.grid);
}

at::Tensor LevitLinearAttention::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const int layer = m_options.attention.layer;
  const auto parts = splitHeads(m_qkv->forward(tokens), m_options.attention.heads,
                                {m_options.keyWidth, m_options.keyWidth, m_options.valueWidth});
  const bool wanted = tap && tap->wants(layer);
  WeighedValues product;
  const at::Tensor output =
      m_linear.forward(parts[0], parts[1], parts[2], is_training(), wanted ? &product : nullptr);
  if (wanted) {
    tap->take(layer, product.weights);
    tap->follow(layer, {{product}});
  }
  return m_projection->forward(sideBySide(output), tap);
}

std::shared_ptr<Attention> makeLevitAttention(const std::string& mechanism,
                                              const LevitAttentionOptions& options) {
  if (mechanism == "linear_angular") return std::make_shared<LevitLinearAttention>(options);
  return std::make_shared<LevitSoftmaxAttention>(options);
}

void countLevitAttention(CostCounter& counter, const std::string& mechanism,
                         const LevitAttentionOptions& options) {
  if (mechanism == "linear_angular")
    LevitLinearAttention::count(counter, options);
  else
    LevitSoftmaxAttention::count(counter, options);
}

LevitDownsampleAttention::LevitDownsampleAttention(const LevitDownsampleOptions& options)
    : m_options(options), m_distances(options.grid, 2, options.tokenPooling ? 2 : 1) {
  const auto& o = options;
  m_biases = register_parameter("attention_biases", at::zeros({o.heads, o.grid.patches()}));
  m_keysValues = register_module(
      "kv", std::make_shared<LinearNorm>(o.width, o.heads * (o.keyWidth + o.valueWidth)));
  auto query = register_module("q", std::make_shared<Holder>());
  m_queries =
      query->register_module("ln", std::make_shared<LinearNorm>(o.width, o.heads * o.keyWidth));
  if (o.poolAfter)
    m_pool = query->register_module("pool",
                                    std::make_shared<ConvNorm>(o.keyWidth, o.keyWidth, o.keyWidth));
  if (o.tokenPooling)
    m_tokenPool =
        register_module("pool", std::make_shared<LevitTokenPool>(o.grid, o.keyWidth, o.valueWidth));
  m_projection = register_module(
      "proj", std::make_shared<LevitProjection>(o.heads * o.valueWidth, o.outWidth, 1.0));
}

void LevitDownsampleAttention::count(CostCounter& counter, const LevitDownsampleOptions& options) {
  const auto& o = options;
  const int keyStride = o.tokenPooling ? 2 : 1;
  DistanceBias::check(o.grid, 2, keyStride);
  const std::int64_t tokens = o.grid.patches(), queries = o.grid.strided(2).patches(),
                     keys = o.grid.strided(keyStride).patches();
  counter.parameters("attention_biases", o.heads * tokens);
  LinearNorm::count(counter, "kv", o.width, o.heads * (o.keyWidth + o.valueWidth), tokens);
  LinearNorm::count(counter, "q.ln", o.width, o.heads * o.keyWidth, o.poolAfter ? tokens : queries);
  if (o.tokenPooling) LevitTokenPool::count(counter, o.grid, o.heads, o.keyWidth, o.valueWidth);
  if (o.poolAfter)
    ConvNorm::count(counter, "q.pool", o.keyWidth, o.keyWidth, o.keyWidth, o.heads * queries);
  counter.macs("logits and values", queries * keys * o.heads * (o.keyWidth + o.valueWidth));
  LinearNorm::count(counter, "proj.ln", o.heads * o.valueWidth, o.outWidth, queries);
}

/// [B, T, width] → [B, H, Tq, d].
at::Tensor LevitDownsampleAttention::queries(const at::Tensor& tokens) {
  const std::int64_t batch = tokens.size(0), rows = m_options.grid.rows, cols = m_options.grid.cols;
  const std::int64_t width = m_options.keyWidth;
  if (!m_pool) {
    const at::Tensor taken =
        tokens.view({batch, rows, cols, -1}).slice(1, 0, rows, 2).slice(2, 0, cols, 2);
    return splitHeads(m_queries->forward(taken.flatten(1, 2)), m_options.heads, {width})[0];
  }
  return pooledHeads(*m_pool, splitHeads(m_queries->forward(tokens), m_options.heads, {width})[0],
                     m_options.grid);
}

at::Tensor LevitDownsampleAttention::forward(const at::Tensor& tokens) {
  const at::Tensor q = queries(tokens);
  auto parts = splitHeads(m_keysValues->forward(tokens), m_options.heads,
                          {m_options.keyWidth, m_options.valueWidth});
  if (m_tokenPool) parts = {m_tokenPool->keys(parts[0]), m_tokenPool->values(parts[1])};
  HeadLogits logits;
  logits.rules.assign(m_options.heads, LogitRule::Keep);
  logits.bias = m_distances.gather(m_biases);
  const at::Tensor mixed =
      headAttention(HeadInputs::apart(q, parts[0], parts[1]), logits, false).output;
  return m_projection->forward(m_options.queryResidual ? mixed + sideBySide(q) : mixed);
}

}  // namespace headlight
