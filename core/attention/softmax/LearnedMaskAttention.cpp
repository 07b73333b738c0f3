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
#include "core/attention/softmax/ProductWeights.h"
#include "core/base/Random.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr const char *kMaskA = "learned_mask_a", *kMaskB = "learned_mask_b";

LearnedMaskOptions learnedMaskOptions(const AttentionOptions& options) {
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
          .choice(&O::placement, "placement", {"weights", "logits", "products"},
                  "What the mask multiplies: the attention weights, the logits, or the products of "
                  "queries and keys without a softmax, each row then divided by its Euclidean norm "
                  "(Algorithm 2 as printed).")
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
      m_own(learnedMaskOptions(options)) {
  using torch::nn::LinearOptions;
  m_qkv = register_module(
      "qkv",
      AdaptableLinear(LinearOptions(options.width, 3 * options.width).bias(options.qkvBias)));
  m_proj = register_module("proj", AdaptableLinear(options.width, options.width));
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
  const auto own = learnedMaskOptions(options);
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
  if (!hasSoftmax())
    return "Products of queries and keys times the learned mask, without a softmax: the squares of "
           "each row sum to 1. Weights are negative where product and mask differ in sign.";
  return "Softmax attention times the learned mask: the absolute values of each row sum to 1. "
         "Weights are negative where the mask is negative.";
}

std::vector<LearnedPairs> LearnedMaskAttention::learnedPairs() {
  const std::string target = !hasSoftmax()                 ? "products of queries and keys"
                             : m_own.placement == "logits" ? "logits"
                                                           : "attention weights";
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

std::string LearnedMaskAttention::kernelText() const {
  return hasSoftmax() ? MaskedAttention::kernelText() : "matrix products";
}

/// What becomes of S, `mask` being W.
HeadLogits LearnedMaskAttention::rulesFor(const at::Tensor& qkv, const at::Tensor& mask) {
  HeadLogits rules = logitMasks(qkv.options());
  (m_own.placement == "weights" ? rules.weightFactor : rules.factor) = mask;
  return rules;
}

/// A = softmax(S ⊙ W), or normalize(softmax(S) ⊙ W), or normalize(S ⊙ W); a row of nothing (a mask
/// that forbids everything) stays one.
at::Tensor LearnedMaskAttention::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const bool wanted = tap && tap->wants(m_options.layer);
  const at::Tensor given = m_qkv(tokens), qkv = wanted ? inFloat32(given) : given;
  const HeadLogits logits = rulesFor(qkv, mask());
  const HeadInputs inputs = HeadInputs::packed(qkv, m_options.heads);
  const auto [mixed, map] =
      hasSoftmax() ? runHeads(inputs, logits, wanted) : productAttention(inputs, logits, wanted);
  if (wanted) {
    tap->take(m_options.layer, map);
    tap->follow(m_options.layer, {{{map, inputs.part(2), mixed}}});
  }
  return m_proj(throughHook(tap, mixed));
}

/// By plain tensor operations: what LibTorch derives of headWeights() or productWeights(), which is
/// exact.
at::Tensor LearnedMaskAttention::logitGradient(const at::Tensor& tokens,
                                               const at::Tensor& ofMixed) {
  const at::AutoGradMode withGradients(true);
  const at::Tensor qkv = inFloat32(m_qkv(tokens.detach())).detach();
  const HeadInputs inputs = HeadInputs::packed(qkv, m_options.heads);
  const HeadLogits rules = rulesFor(qkv, mask().detach());
  const double scale = 1 / std::sqrt(static_cast<double>(inputs.keyWidth));
  const at::Tensor logits = (inputs.part(0).matmul(inputs.part(1).transpose(-2, -1)) * scale)
                                .detach()
                                .requires_grad_(true);
  const at::Tensor weights =
      hasSoftmax() ? headWeights(logits, rules) : productWeights(logits, rules);
  const at::Tensor mixed = weights.matmul(inputs.part(2)).transpose(1, 2).flatten(2);
  return torch::autograd::grad({mixed}, {logits}, {ofMixed.detach()})[0];
}

}  // namespace headlight
