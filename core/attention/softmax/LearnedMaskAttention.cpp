// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/softmax/LearnedMaskAttention.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <limits>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/base/TokenPairLimit.h"
#include "core/attention/softmax/LearnedMaskFit.h"
#include "core/attention/softmax/LearnedMaskPlots.h"
#include "core/base/Random.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr const char *kMaskA = "learned_mask_a", *kMaskB = "learned_mask_b";

LearnedMaskOptions ownOptions(const AttentionOptions& options) {
  auto own = optionsAs<LearnedMaskOptions>(LearnedMaskAttention::optionTable(), options.options);
  const int window = own.window > 0 ? own.window : own.fidelity;
  if (window % 2 == 0)
    throw Failure({ErrorCode::InvalidConfig,
                   tr("the filter window is centered on a patch and must be odd, not ") +
                       std::to_string(window) + "; choose " + std::to_string(window + 1),
                   own.window > 0 ? "model.attention.window" : "model.attention.fidelity"});
  requireTokenPairsFit(options.grid.patches());  // W, for every head
  return own;
}

/// R [H, N, N] → W[h, n, m] = R[h, n, (m − n) mod N], by views alone: row n of [R R] is read from
/// column N − n on, and in a flat row-major [R R] those starts lie 2N − 1 apart.
at::Tensor unrolled(const at::Tensor& r) {
  const std::int64_t heads = r.size(0), patches = r.size(1);
  return at::cat({r, r}, 2)
      .view({heads, 2 * patches * patches})
      .slice(1, patches)
      .view({heads, patches, 2 * patches - 1})
      .slice(2, 0, patches);
}

}  // namespace

const ParameterTable& LearnedMaskAttention::optionTable() {
  using O = LearnedMaskOptions;
  static const ParameterTable table =
      TableBuilder<O>()
          .integer(
              &O::fidelity, "fidelity", 1, 11,
              "Largest filter side f that a mask can represent; its sub-masks have f² columns.")
          .choice(&O::placement, "placement", {"weights", "logits"},
                  "What the mask multiplies: the attention weights or the logits.")
          .choice(&O::initialization, "initialization", {"gaussian", "conv", "random"},
                  "Initial mask: a Gaussian filter, ones in the window, or noise.")
          .formerly("initialisation")
          .number(&O::sigma, "sigma", 0.05, 100, "Standard deviation of the Gaussian, in patches.")
          .integer(&O::window, "window", 0, 31,
                   "Side of the initial filter in patches, odd; 0: same as fidelity.")
          .choice(&O::fit, "fit", {"relative", "absolute"},
                  "End of the fit to the filter: within 1 % of the filter's norm, or at a mean "
                  "squared error of 1e-4 as in the paper (8 % on 14 x 14 patches).")
          .boolean(
              &O::rolled, "rolled",
              "Roll the rows of the product of the sub-masks; off: use the product as the mask.")
          .boolean(&O::learned, "learned", "Train the mask; off: keep the initial mask.")
          .build();
  return table;
}

LearnedMaskAttention::LearnedMaskAttention(const AttentionOptions& options)
    : MaskedAttention(options.layer, options.heads, options.grid),
      m_options(options),
      m_own(ownOptions(options)) {
  using torch::nn::LinearOptions;
  m_qkv = register_module(
      "qkv",
      torch::nn::Linear(LinearOptions(options.width, 3 * options.width).bias(options.qkvBias)));
  m_proj = register_module("proj", torch::nn::Linear(options.width, options.width));
  const at::Tensor empty =
      at::zeros({options.heads, options.grid.patches(), m_own.fidelity * m_own.fidelity});
  const auto add = [&](const std::string& name) {
    return m_own.learned ? register_parameter(name, empty.clone())
                         : register_buffer(name, empty.clone());
  };
  m_maskA = add(kMaskA);
  m_maskB = add(kMaskB);
  initialize();
}

bool LearnedMaskAttention::isFitted(const std::string& parameter) const {
  return parameter == kMaskA || parameter == kMaskB;
}

void LearnedMaskAttention::count(CostCounter& counter, const AttentionOptions& options) {
  const auto own = ownOptions(options);
  const std::int64_t width = options.width, tokens = options.grid.tokens();
  counter.linear("qkv", width, 3 * width, options.qkvBias, tokens);
  counter.macs("logits and values", 2 * tokens * tokens * width);  // QKᵀ and AV
  if (own.learned)
    counter.parameters("learned_mask", std::int64_t{2} * options.heads * options.grid.patches() *
                                           own.fidelity * own.fidelity);
  counter.linear("proj", width, width, true, tokens);
}

/// Algorithm 1 from one start a process for every layer and head, each then turned by its own
/// random rotation: descent from a start that was turned so (no less likely: the start is a normal
/// draw) would have taken the same path, turned. So W begins alike everywhere, 𝒜 and ℬ do not.
/// `random`: 𝒜 and ℬ such that the entries of 𝒜ℬᵀ have mean 0 and variance 1.
void LearnedMaskAttention::initialize() {
  const at::NoGradGuard noGrad;
  if (m_own.initialization == "random") {
    const double deviation = 1 / std::sqrt(static_cast<double>(m_own.fidelity));
    m_maskA.normal_(0, deviation);
    m_maskB.normal_(0, deviation);
    return;
  }
  const bool gaussian = m_own.initialization == "gaussian";
  Grid grid = m_options.grid;
  grid.prefix = 0;
  const LearnedMaskFit& fit = rememberedLearnedMaskFit(
      {.grid = grid,
       .fidelity = m_own.fidelity,
       .filter = gaussian ? MaskFilter::Gaussian : MaskFilter::Convolution,
       .window = m_own.window > 0 ? m_own.window : m_own.fidelity,
       .sigma = gaussian ? m_own.sigma : 1.0,
       .rolled = m_own.rolled,
       .bound = m_own.fit == "absolute" ? MaskFitBound::Absolute : MaskFitBound::Relative});
  m_fit = &fit;
  const std::int64_t columns = m_maskA.size(2);
  const auto tensorOf = [&](const std::vector<double>& values) {
    return at::tensor(values, at::kDouble).view({-1, columns});
  };
  const at::Tensor a = tensorOf(fit.a), b = tensorOf(fit.b);
  for (std::int64_t h = 0; h < m_maskA.size(0); ++h) {
    const auto seed =
        at::randint(std::numeric_limits<std::int64_t>::max(), {1}, at::kLong).item<std::int64_t>();
    const at::Tensor turn = tensorOf(randomRotation(static_cast<int>(columns), seed));
    m_maskA[h].copy_(a.matmul(turn));
    m_maskB[h].copy_(b.matmul(turn));
  }
}

std::string LearnedMaskAttention::mapMeaning() const {
  if (m_own.placement == "logits")
    return "Softmax of logits times the learned mask: each row sums to 1 over the tokens that its "
           "query attends to.";
  return "Softmax attention times the learned mask: the absolute values of each row sum to 1. "
         "Weights are negative where the mask is negative.";
}

std::vector<LearnedPairs> LearnedMaskAttention::learnedPairs() {
  const std::string target = m_own.placement == "logits" ? "logits" : "attention weights";
  return {{"learned_mask", "learned mask W",
           "The factor on the " + target +
               " (IBiT, Algorithm 2). Learned, the same for every image; 1 in the rows and columns "
               "of a class token.",
           true, mask().detach()}};
}

std::vector<MechanismPlotInfo> LearnedMaskAttention::mechanismPlots() const {
  return learnedMaskPlots(m_own.placement);
}

MechanismPlotAnswer LearnedMaskAttention::mechanismPlot(const std::string& name,
                                                        const MechanismPlotQuery& /*question*/) {
  const at::NoGradGuard noGrad;
  const std::int64_t prefix = m_options.grid.prefix;
  const at::Tensor patches = mask().detach().slice(1, prefix).slice(2, prefix);
  return learnedMaskPlot(name, patches, m_options.grid);
}

void LearnedMaskAttention::train(bool on) {
  m_mask.forget();
  MaskedAttention::train(on);
}

at::Tensor LearnedMaskAttention::mask() {
  return m_mask.get({m_maskA, m_maskB}, [&] {
    const Float32Scope exact;
    const at::Tensor product = at::bmm(m_maskA, m_maskB.transpose(1, 2));  // [H, N, N]
    const std::int64_t prefix = m_options.grid.prefix;
    return at::constant_pad_nd(m_own.rolled ? unrolled(product) : product, {prefix, 0, prefix, 0},
                               1);
  });
}

/// A = softmax(S ⊙ W), or normalize(softmax(S) ⊙ W); a row of nothing (a mask that forbids
/// everything) stays one.
at::Tensor LearnedMaskAttention::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const bool wanted = tap && tap->wants(m_options.layer);
  const at::Tensor given = m_qkv(tokens), qkv = wanted ? inFloat32(given) : given;
  HeadLogits logits = logitMasks(qkv.options());
  (m_own.placement == "logits" ? logits.factor : logits.weightFactor) = mask();
  const HeadInputs inputs = HeadInputs::packed(qkv, m_options.heads);
  const auto [mixed, map] = runHeads(inputs, logits, wanted);
  if (wanted) {
    tap->take(m_options.layer, map);
    tap->follow(m_options.layer, {{{map, inputs.part(2), mixed}}});
  }
  return m_proj(mixed);
}

/// By plain tensor operations: what LibTorch derives of headWeights(), which is exact.
at::Tensor LearnedMaskAttention::logitGradient(const at::Tensor& tokens,
                                               const at::Tensor& ofMixed) {
  const at::AutoGradMode withGradients(true);
  const at::Tensor qkv = inFloat32(m_qkv(tokens.detach())).detach();
  const HeadInputs inputs = HeadInputs::packed(qkv, m_options.heads);
  HeadLogits rules = logitMasks(qkv.options());
  (m_own.placement == "logits" ? rules.factor : rules.weightFactor) = mask().detach();
  const double scale = 1 / std::sqrt(static_cast<double>(inputs.keyWidth));
  const at::Tensor logits = (inputs.part(0).matmul(inputs.part(1).transpose(-2, -1)) * scale)
                                .detach()
                                .requires_grad_(true);
  const at::Tensor mixed =
      headWeights(logits, rules).matmul(inputs.part(2)).transpose(1, 2).flatten(2);
  return torch::autograd::grad({mixed}, {logits}, {ofMixed.detach()})[0];
}

}  // namespace headlight
