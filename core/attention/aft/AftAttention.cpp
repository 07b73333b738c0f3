// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/aft/AftAttention.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

#include "core/attention/aft/AftPlots.h"
#include "core/attention/base/MixedPrecision.h"
#include "core/attention/base/TokenPairLimit.h"
#include "core/attention/kernels/HeadAttention.h"
#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr double kInitialDeviation = 0.01;  // "N(0, 10⁻²)" of §5.1

/// e^w, each row scaled so that its maximum is 1.
at::Tensor rowExponential(const at::Tensor& bias) {
  return (bias - bias.detach().amax(1, /*keepdim=*/true)).exp();
}

/// Σ_t' weights[t, t'] · x[b, t', f] as one matrix product: [T, T] and [B, T, D] → [B, T, D].
at::Tensor weightedSums(const at::Tensor& weights, const at::Tensor& x) {
  const std::int64_t images = x.size(0), tokens = x.size(1), width = x.size(2);
  const at::Tensor columns = x.transpose(0, 1).reshape({tokens, images * width});
  return weights.mm(columns).view({tokens, images, width}).transpose(0, 1);
}

/// Sums of weights may underflow where K spans more than a float's range: 0, not NaN.
at::Tensor ratio(const at::Tensor& sums, const at::Tensor& weights) {
  return sums / weights.clamp_min(std::numeric_limits<float>::min());
}

/// [B, T, D] → [B, H, T, D/H].
at::Tensor byHead(const at::Tensor& x, int heads) {
  return x.reshape({x.size(0), x.size(1), heads, -1}).transpose(1, 2);
}

AftOptions readAft(const ParameterTable& table, const AttentionOptions& options) {
  return optionsAs<AftOptions>(table, options.options);
}

/// Those of AFT-full and AFT-local: what is kept for every pair of tokens must be holdable.
AftOptions readFull(const ParameterTable& table, const AttentionOptions& options) {
  const AftOptions own = readAft(table, options);
  const std::int64_t tokens = options.grid.tokens();
  if (!own.factorized)
    requireTokenPairsFit(tokens, tokens, "model.attention.factorized", "use the factorized biases");
  return own;
}

AftOptions readLocal(const AttentionOptions& options) {
  const AftOptions own = readFull(AftLocal::optionTable(), options);
  if (!own.global && own.window == 0)
    throw Failure(
        {ErrorCode::InvalidConfig,
         tr("without global connectivity a window of 0 leaves nothing to attend to; use a "
            "window of 1 or more"),
         "model.attention.window"});
  requireTokenPairsFit(options.grid.tokens());  // which of them are within the window
  return own;
}

TableBuilder<AftOptions>& addPositions(TableBuilder<AftOptions>& builder) {
  return builder
      .boolean(&AftOptions::factorized, "factorized",
               "Factorize the position biases into two thin matrices (Eq. 7) instead of one full "
               "matrix.")
      .formerly("factorised")
      .integer(&AftOptions::rank, "rank", 1, 1024,
               "Width d' of the two factors of the position biases (Eq. 7).");
}

TableBuilder<AftOptions>& addQuery(TableBuilder<AftOptions>& builder) {
  return builder.boolean(&AftOptions::query, "query",
                         "Gate the result by a sigmoid of the query; off is an ablation.");
}

}  // namespace

at::Tensor aftKeyWeights(const at::Tensor& keys) {
  return (keys - keys.detach().amax(1, /*keepdim=*/true)).exp();
}

at::Tensor aftCausalKeyWeights(const at::Tensor& keys) {
  const at::Tensor exponent = keys * (1 / std::log(2.0));
  const at::Tensor whole = exponent.detach().floor();
  const at::Tensor scale = (whole - whole.amax(1, /*keepdim=*/true)).exp2();
  return (exponent - whole).exp2() * scale;
}

at::Tensor aftContext(const at::Tensor& keys, const at::Tensor& values, const at::Tensor& bias,
                      AftOrder order) {
  const bool causal = order == AftOrder::Causal;
  const at::Tensor weights = causal ? aftCausalKeyWeights(keys) : aftKeyWeights(keys);
  const at::Tensor weighted = weights * values;
  if (!bias.defined())
    return causal ? ratio(weighted.cumsum(1), weights.cumsum(1))
                  : ratio(weighted.sum(1, true), weights.sum(1, true)).expand_as(values);
  at::Tensor allowed = bias;
  if (causal) {
    const at::Tensor later = at::ones_like(bias, at::kBool).triu(1);
    allowed = bias.masked_fill(later, -std::numeric_limits<double>::infinity());
  }
  const at::Tensor pairs = rowExponential(allowed);
  return ratio(weightedSums(pairs, weighted), weightedSums(pairs, weights));
}

at::Tensor aftMap(const at::Tensor& keys, const at::Tensor& bias, int heads) {
  const std::int64_t tokens = keys.size(1);
  const at::Tensor weights = aftKeyWeights(keys);
  // The mean over f of e^{K_t'f + w_tt'} / sum_tf is e^{w_tt'} times a matrix product over f.
  if (!bias.defined()) {
    const at::Tensor shares = ratio(weights, weights.sum(1, /*keepdim=*/true));
    return byHead(shares, heads).mean(-1).unsqueeze(2).expand({-1, -1, tokens, -1}).contiguous();
  }
  const at::Tensor pairs = rowExponential(bias);
  const at::Tensor inverse = ratio(at::ones_like(weights), weightedSums(pairs, weights));
  return at::matmul(byHead(inverse, heads), byHead(weights, heads).transpose(-2, -1)) * pairs *
         (static_cast<double>(heads) / keys.size(2));
}

at::Tensor aftWindow(const Grid& grid, int window) {
  const at::Tensor patch = at::arange(grid.patches());
  const auto near = [&](const at::Tensor& place) {
    return (place.unsqueeze(1) - place.unsqueeze(0)).abs() < window;
  };
  at::Tensor inside = at::full({grid.tokens(), grid.tokens()}, window > 0, at::kBool);
  inside.slice(0, grid.prefix)
      .slice(1, grid.prefix)
      .copy_(near(at::div(patch, grid.cols, "floor")) & near(at::remainder(patch, grid.cols)));
  return inside;
}

AftAttention::AftAttention(const AttentionOptions& options, std::int64_t keyWidth, bool query)
    : Attention(options.heads),
      m_layer(options.layer),
      m_heads(options.heads),
      m_prefix(options.grid.prefix) {
  const auto linear = [&](const char* name, std::int64_t out, bool bias) {
    return register_module(
        name, AdaptableLinear(torch::nn::LinearOptions(options.width, out).bias(bias)));
  };
  if (query) m_query = linear("q", options.width, options.qkvBias);
  m_key = linear("k", keyWidth, options.qkvBias);
  m_value = linear("v", options.width, options.qkvBias);
  m_proj = linear("proj", options.width, true);
}

void AftAttention::countProjections(CostCounter& counter, const AttentionOptions& options,
                                    std::int64_t keyWidth, bool query) {
  const std::int64_t width = options.width, tokens = options.grid.tokens();
  if (query) counter.linear("q", width, width, options.qkvBias, tokens);
  counter.linear("k", width, keyWidth, options.qkvBias, tokens);
  counter.linear("v", width, width, options.qkvBias, tokens);
  counter.linear("proj", width, width, true, tokens);
}

at::Tensor AftAttention::keyShares(const at::Tensor& tokens) {
  const Float32Scope exact;
  const at::Tensor shares = inFloat32(m_key(tokens)).softmax(1);
  return byHead(shares, m_heads).mean(-1)[0].slice(1, m_prefix);
}

at::Tensor AftAttention::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const at::Tensor keys = inFloat32(m_key(tokens)), values = inFloat32(m_value(tokens));
  at::Tensor reduced;
  {
    const Float32Scope exact;
    at::Tensor weights;
    if (tap && tap->wants(m_layer)) {
      const at::NoGradGuard noGrad;
      weights = map(keys);
      tap->take(m_layer, weights);
    }
    reduced = context(keys, values);
    if (weights.defined())
      tap->follow(m_layer, {{{weights, byHead(values, static_cast<int>(weights.size(1))), reduced}},
                            {},
                            gradientNote()});
  }
  return m_proj(
      throughHook(tap, m_query ? inFloat32(m_query(tokens)).sigmoid() * reduced : reduced));
}

std::vector<MechanismPlotInfo> AftAttention::mechanismPlots() const {
  return {aftKeysPlot(", averaged over the group of features that acts as a head")};
}

MechanismPlotAnswer AftAttention::mechanismPlot(const std::string& /*name*/,
                                                const MechanismPlotQuery& question) {
  const at::NoGradGuard noGrad;
  return {{{"", keyShares(question.tokens)}}};
}

AftFull::AftFull(const AttentionOptions& options)
    : AftFull(options, readFull(optionTable(), options)) {}

AftFull::AftFull(const AttentionOptions& options, const AftOptions& own)
    : AftAttention(options, options.width, own.query), m_heads(options.heads) {
  const std::int64_t tokens = options.grid.tokens();
  const at::NoGradGuard noGrad;
  const auto drawn = [&](const char* name, std::int64_t columns) {
    return register_parameter(name, at::empty({tokens, columns}).normal_(0, kInitialDeviation));
  };
  if (own.factorized) {
    m_u = drawn("position_u", own.rank);
    m_v = drawn("position_v", own.rank);
  } else {
    m_bias = drawn("position_bias", tokens);
  }
}

const ParameterTable& AftFull::optionTable() {
  static const ParameterTable table = [] {
    TableBuilder<AftOptions> builder;
    return addQuery(addPositions(builder)).build();
  }();
  return table;
}

void AftFull::count(CostCounter& counter, const AttentionOptions& options) {
  const std::int64_t tokens = options.grid.tokens();
  countAs(counter, options, readFull(optionTable(), options), tokens * tokens);
}

void AftFull::countAs(CostCounter& counter, const AttentionOptions& options, const AftOptions& own,
                      std::int64_t pairs) {
  const std::int64_t tokens = options.grid.tokens();
  countProjections(counter, options, options.width, own.query);
  counter.parameters("positions", own.factorized ? 2 * tokens * own.rank : tokens * tokens);
  // The two products of Eq. 2. w itself is the same for every image and counts as none.
  counter.macs("sums", 2 * pairs * options.width);
}

std::string AftFull::mapMeaning() const {
  return "Implicit attention of AFT (Eq. 3) without its query gate: the weights of each feature's "
         "mean, averaged over the group of features that acts as a head. Each row sums to 1.";
}

at::Tensor AftFull::positionBias() {
  return m_bias.defined() ? m_bias : m_u.mm(m_v.t());
}

at::Tensor AftFull::context(const at::Tensor& keys, const at::Tensor& values) {
  return aftContext(keys, values, positionBias());
}

at::Tensor AftFull::map(const at::Tensor& keys) {
  return aftMap(keys, positionBias(), m_heads);
}

std::vector<MechanismPlotInfo> AftFull::mechanismPlots() const {
  std::vector<MechanismPlotInfo> all = aftBiasPlots();
  const auto keys = AftAttention::mechanismPlots();
  all.insert(all.end(), keys.begin(), keys.end());
  return all;
}

MechanismPlotAnswer AftFull::mechanismPlot(const std::string& name,
                                           const MechanismPlotQuery& question) {
  if (name == kAftKeysPlot) return AftAttention::mechanismPlot(name, question);
  const at::NoGradGuard noGrad;
  return aftBiasPlot(name, positionBias());
}

AftLocal::AftLocal(const AttentionOptions& options) : AftLocal(options, readLocal(options)) {}

AftLocal::AftLocal(const AttentionOptions& options, const AftOptions& own)
    : AftFull(options, own), m_global(own.global) {
  // Follows from the options, so it is no part of a checkpoint.
  m_outside = aftWindow(options.grid, own.window).logical_not();
  if (AftBand::isFaster(options.grid, own.window))
    m_band.emplace(options.grid, own.window, own.global);
}

const ParameterTable& AftLocal::optionTable() {
  static const ParameterTable table = [] {
    TableBuilder<AftOptions> builder;
    builder
        .integer(&AftOptions::window, "window", 0, 4096,
                 "Window s of Eq. 4: patches less than s rows and columns apart have a learned "
                 "bias. 4 is a 7 x 7 window; 0: no window.")
        .boolean(&AftOptions::global, "global",
                 "Keep patches outside the window connected; off is an ablation.");
    return addQuery(addPositions(builder)).build();
  }();
  return table;
}

void AftLocal::count(CostCounter& counter, const AttentionOptions& options) {
  const AftOptions own = readLocal(options);
  const std::int64_t tokens = options.grid.tokens();
  countAs(counter, options, own,
          AftBand::isFaster(options.grid, own.window) ? AftBand::pairs(options.grid, own.window)
                                                      : tokens * tokens);
}

bool AftLocal::runsInBands(const at::Tensor& like) const {
  return m_band && fusedKernelsTake(like);
}

at::Tensor AftLocal::context(const at::Tensor& keys, const at::Tensor& values) {
  if (!runsInBands(keys)) return AftFull::context(keys, values);
  return m_band->context(keys, values,
                         m_bias.defined() ? m_band->biases(m_bias) : m_band->biases(m_u, m_v));
}

std::string AftLocal::kernelText() const {
  return runsInBands(parameters().front())
             ? "matrix products over the rows of each window, one sum "
               "for the rest"
             : AftFull::kernelText();
}

at::Tensor AftLocal::positionBias() {
  const at::Tensor everywhere = AftFull::positionBias();
  m_outside = m_outside.to(everywhere.device());
  return everywhere.masked_fill(m_outside,
                                m_global ? 0.0 : -std::numeric_limits<double>::infinity());
}

AftSimple::AftSimple(const AttentionOptions& options)
    : AftAttention(options, options.width, readAft(optionTable(), options).query),
      m_heads(options.heads) {}

const ParameterTable& AftSimple::optionTable() {
  static const ParameterTable table = [] {
    TableBuilder<AftOptions> builder;
    return addQuery(builder).build();
  }();
  return table;
}

void AftSimple::count(CostCounter& counter, const AttentionOptions& options) {
  countProjections(counter, options, options.width, readAft(optionTable(), options).query);
}

std::string AftSimple::mapMeaning() const {
  return "Implicit attention of AFT-simple (Eq. 5) without its query gate, the softmax of the keys "
         "over the tokens, averaged over the group of features that acts as a head. Every query "
         "has the same row; it sums to 1.";
}

at::Tensor AftSimple::context(const at::Tensor& keys, const at::Tensor& values) {
  return aftContext(keys, values, {});
}

at::Tensor AftSimple::map(const at::Tensor& keys) {
  return aftMap(keys, {}, m_heads);
}

}  // namespace headlight
