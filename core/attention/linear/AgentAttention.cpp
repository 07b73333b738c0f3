// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/linear/AgentAttention.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/attention/base/FusedHeads.h"
#include "core/attention/base/MixedPrecision.h"

namespace headlight {
namespace {

constexpr std::int64_t kTableSide = 7;  // of the biases that are resized
constexpr double kBiasDeviation = 0.02;

AgentOptions agentOptions(const AttentionOptions& options) {
  return convolvedOptions<AgentOptions>(AgentAttention::optionTable(), options);
}

/// Rows and columns of agents.
struct AgentGrid {
  std::int64_t rows, cols;
  std::int64_t count() const { return rows * cols; }
};
AgentGrid agentGrid(const Grid& grid, int side) {
  return {std::min(side, grid.rows), std::min(side, grid.cols)};
}

/// [H, n, 7, 7] → [H, n, rows, cols].
at::Tensor overGridOf(const at::Tensor& table, const Grid& grid) {
  return at::upsample_bilinear2d(table, {grid.rows, grid.cols}, /*align_corners=*/false);
}

}  // namespace

const ParameterTable& AgentAttention::optionTable() {
  using O = AgentOptions;
  static const ParameterTable table =
      TableBuilder<O>()
          .integer(&O::agents, "agents", 1, 64,
                   "Agents per side: 7 gives 49 agents; at most one per patch.")
          .boolean(&O::biases, "biases",
                   "Use agent biases: learned, by position; then images of one size only.")
          .integer(&O::convolution, "convolution", 1, 63,
                   "Side of the depthwise convolution of the values, in patches (odd).")
          .build();
  return table;
}

AgentAttention::AgentAttention(const AttentionOptions& options)
    : Attention(options.heads), m_options(options), m_own(agentOptions(options)) {
  const int width = options.width;
  m_qkv = register_module(
      "qkv", AdaptableLinear(torch::nn::LinearOptions(width, 3 * width).bias(options.qkvBias)));
  if (m_own.biases) makeBiases();
  m_convolution = register_module("dwc", std::make_shared<ValueConvolution>(
                                             ValueFilters{width, m_own.convolution}, options.grid));
  m_proj = register_module("proj", AdaptableLinear(width, width));
}

at::Tensor AgentAttention::bias(const char* name, std::initializer_list<std::int64_t> sizes) {
  return register_parameter(name, at::empty(sizes).normal_(0, kBiasDeviation));
}

void AgentAttention::makeBiases() {
  const Grid& grid = m_options.grid;
  const std::int64_t heads = m_options.heads, agents = agentGrid(grid, m_own.agents).count();
  m_an = bias("an_bias", {heads, agents, kTableSide, kTableSide});
  m_na = bias("na_bias", {heads, agents, kTableSide, kTableSide});
  m_ah = bias("ah_bias", {heads, agents, grid.rows, 1});
  m_aw = bias("aw_bias", {heads, agents, 1, grid.cols});
  m_ha = bias("ha_bias", {heads, grid.rows, 1, agents});
  m_wa = bias("wa_bias", {heads, 1, grid.cols, agents});
  if (grid.prefix == 0) return;
  m_ac = bias("ac_bias", {heads, agents, grid.prefix});
  m_ca = bias("ca_bias", {heads, grid.prefix, agents});
}

void AgentAttention::count(CostCounter& counter, const AttentionOptions& options) {
  const AgentOptions own = agentOptions(options);
  const Grid& grid = options.grid;
  const std::int64_t width = options.width, tokens = grid.tokens(), heads = options.heads,
                     agents = agentGrid(grid, own.agents).count();
  counter.linear("qkv", width, 3 * width, options.qkvBias, tokens);
  counter.macs("agents times keys, values; queries times agents", 4 * agents * tokens * width);
  if (own.biases)
    counter.parameters(
        "agent biases",
        2 * heads * agents * (kTableSide * kTableSide + grid.rows + grid.cols + grid.prefix));
  ValueConvolution::count(counter, "dwc", {width, own.convolution}, width, grid);
  counter.linear("proj", width, width, true, tokens);
}

void AgentAttention::setGrid(const Grid& grid) {
  if (m_own.biases) return Attention::setGrid(grid);
  m_options.grid = grid;
  m_convolution->setGrid(grid);
}

std::string AgentAttention::mapMeaning() const {
  return "Agent attention: the weights of queries over agents times those of agents over tokens; "
         "each row sums to 1. The convolution of the values is not in it.";
}

std::string AgentAttention::kernelText() const {
  return "matrix products with " + std::to_string(agentGrid(m_options.grid, m_own.agents).count()) +
         " agents, and a depthwise convolution";
}

/// [B, H, T, d] → [B, H, n, d].
at::Tensor AgentAttention::agentsOf(const at::Tensor& q) const {
  const Grid& grid = m_options.grid;
  const AgentGrid agents = agentGrid(grid, m_own.agents);
  const std::int64_t batch = q.size(0), heads = q.size(1), each = q.size(3);
  const at::Tensor images =
      q.slice(2, grid.prefix).transpose(2, 3).reshape({batch, heads * each, grid.rows, grid.cols});
  return at::adaptive_avg_pool2d(images, {agents.rows, agents.cols})
      .reshape({batch, heads, each, agents.count()})
      .transpose(2, 3);
}

/// B₁ [H, n, T].
at::Tensor AgentAttention::keyBias() const {
  const at::Tensor patches = (overGridOf(m_an, m_options.grid) + (m_ah + m_aw)).flatten(2);
  return m_ac.defined() ? at::cat({m_ac, patches}, -1) : patches;
}

/// B₂ [H, T, n].
at::Tensor AgentAttention::queryBias() const {
  const at::Tensor patches =
      overGridOf(m_na, m_options.grid).flatten(2).transpose(1, 2) + (m_ha + m_wa).flatten(1, 2);
  return m_ca.defined() ? at::cat({m_ca, patches}, 1) : patches;
}

at::Tensor AgentAttention::mixed(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                 AttentionHook* tap) const {
  const Float32Scope exact;
  const double scale = 1.0 / std::sqrt(static_cast<double>(q.size(-1)));
  const at::Tensor agents = agentsOf(q) * scale;
  at::Tensor toKeys = at::matmul(agents, k.transpose(-2, -1)),
             toAgents = at::matmul(q, agents.transpose(-2, -1));
  if (m_own.biases) {
    toKeys = toKeys + keyBias();
    toAgents = toAgents + queryBias();
  }
  const at::Tensor gathered = toKeys.softmax(-1), spread = toAgents.softmax(-1);
  const at::Tensor y = at::matmul(spread, at::matmul(gathered, v));
  if (tap && tap->wants(m_options.layer)) {
    const at::Tensor map = at::matmul(spread, gathered).detach();
    tap->take(m_options.layer, map);
    tap->follow(m_options.layer, {{{map, v, y}}});
  }
  return y + m_convolution->forward(v);
}

at::Tensor AgentAttention::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const FusedHeads all = fusedHeads(m_qkv(tokens), m_options.heads);
  const at::Tensor heads = mixed(all.query, all.key, all.value, tap);
  return m_proj(throughHook(tap, headsBesideEachOther(heads)));
}

}  // namespace headlight
