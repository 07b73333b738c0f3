// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/linear/LinearAngular.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/base/QueryKeyCapture.h"
#include "core/attention/kernels/HeadAttention.h"
#include "core/attention/kernels/RelativeSums.h"
#include "core/base/Translation.h"

namespace headlight {

const ParameterTable& LinearAngular::optionTable() {
  using O = LinearAngularOptions;
  static const ParameterTable table = [] {
    std::vector<std::string> names;
    for (const LinearKernel& kernel : linearKernels())
      names.push_back(kernel.name);
    return TableBuilder<O>()
        .choice(&O::kernel, "kernel", names,
                "Similarity of queries and keys, in linear time; angular and angular_series take "
                "quadratic time.")
        .integer(&O::terms, "terms", 1, 64,
                 "angular_series: terms of the sum of Eq. 8, after its linear terms.")
        .choice(
            &O::residual, "residual", {"tokens", "grid", "none"},
            "Depthwise convolution of the values: along the tokens, over the patch grid, or none.")
        .integer(&O::residualKernel, "residual_kernel", 1, 63,
                 "Kernel size of that convolution (odd); over a grid, per side.")
        .boolean(&O::auxiliary, "auxiliary",
                 "Train with an auxiliary masked softmax attention (quadratic cost).")
        .number(&O::epsilon, "epsilon", 0, 1,
                "Mask softmax weights up to this value in the auxiliary branch.")
        .choice(&O::epsilonSchedule, "epsilon_schedule", {"fixed", "linear", "cosine"},
                "Schedule of epsilon, from epsilon to epsilon_end, over the training.")
        .number(&O::epsilonEnd, "epsilon_end", 0, 1,
                "Epsilon at the end of the training; a fixed schedule ignores it.")
        .boolean(&O::withoutBranch, "without_branch",
                 "Drop the auxiliary branch in inference (training keeps it).")
        .formerly("castled")
        .build();
  }();
  return table;
}

LinearAngularOptions linearAngularOptions(const Json& json) {
  auto options = optionsAs<LinearAngularOptions>(LinearAngular::optionTable(), json);
  if (options.residualKernel % 2 == 0)
    throw Failure({ErrorCode::InvalidConfig,
                   tr("a residual kernel of ") + std::to_string(options.residualKernel) +
                       tr(" taps has no center; choose an odd number"),
                   "model.attention.residual_kernel"});
  return options;
}

AuxiliaryBranch::AuxiliaryBranch(const LinearAngularOptions& options)
    : m_present(options.auxiliary),
      m_withoutBranch(options.withoutBranch),
      m_epsilon(options.epsilon),
      m_epsilonEnd(options.epsilonEnd),
      m_schedule(options.epsilonSchedule) {}

std::pair<at::Tensor, at::Tensor> AuxiliaryBranch::attend(const at::Tensor& q, const at::Tensor& k,
                                                          const at::Tensor& v, bool wantMap) {
  const std::int64_t heads = q.size(1);
  HeadLogits logits;
  logits.rules.assign(heads, LogitRule::Keep);
  logits.masks.resize(heads);
  logits.leastWeight = epsilon();
  const auto [above, stays] = headAttentionAboveLeast(HeadInputs::apart(q, k, v), logits, wantMap);
  m_nonzeros = stays;
  const at::Tensor x = above.output.view({q.size(0), q.size(2), heads, -1}).transpose(1, 2);
  return {x, above.map};
}

void AuxiliaryBranch::setProgress(double fraction) {
  m_progress = std::clamp(fraction, 0.0, 1.0);
}

double AuxiliaryBranch::epsilon() const {
  if (m_schedule == "fixed") return m_epsilon;
  const double done =
      m_schedule == "linear" ? m_progress : (1.0 - std::cos(std::numbers::pi * m_progress)) / 2.0;
  return m_epsilon + (m_epsilonEnd - m_epsilon) * done;
}

std::vector<std::pair<std::string, double>> AuxiliaryBranch::readings() const {
  std::vector<std::pair<std::string, double>> result;
  if (!m_present) return result;
  if (m_nonzeros.defined()) result.emplace_back("nonzeros", m_nonzeros.item<double>());
  result.emplace_back("epsilon", epsilon());
  return result;
}

DepthwiseResidual::DepthwiseResidual(const LinearAngularOptions& options, int heads,
                                     const Grid& grid)
    : m_overGrid(options.residual == "grid"), m_grid(grid) {
  const std::int64_t taps = options.residualKernel, across = m_overGrid ? taps : 1;
  // A convolution's default: uniform within the inverse root of the fan-in.
  const double bound = 1.0 / std::sqrt(static_cast<double>(taps * across));
  m_weight =
      register_parameter("weight", at::empty({heads, 1, taps, across}).uniform_(-bound, bound));
}

void DepthwiseResidual::count(CostCounter& counter, const LinearAngularOptions& options, int heads,
                              std::int64_t valueWidth, const Grid& grid) {
  const bool overGrid = options.residual == "grid";
  const std::int64_t weights =
      heads * options.residualKernel * (overGrid ? options.residualKernel : 1);
  counter.weights("dconv", weights,
                  weights * valueWidth * (overGrid ? grid.patches() : grid.tokens()));
}

at::Tensor DepthwiseResidual::forward(const at::Tensor& values) const {
  if (!m_overGrid) return convolved(values, values.size(2), 1);
  const at::Tensor patches = values.slice(2, m_grid.prefix),
                   result = m_kept.defined() ? overKept(patches) : overGrid(patches);
  return m_grid.prefix == 0 ? result : at::constant_pad_nd(result, {0, 0, m_grid.prefix, 0});
}

/// [B, H, rows · cols, e] → the same. All features of a head have its filter.
at::Tensor DepthwiseResidual::convolved(const at::Tensor& values, std::int64_t rows,
                                        std::int64_t cols) const {
  const at::Tensor filter = m_weight.expand({-1, values.size(3), -1, -1}).flatten(0, 1);
  return relativeSumsOfHeads(values, filter, rows, cols);
}

/// [B, H, N, e] of all patches → the same.
at::Tensor DepthwiseResidual::overGrid(const at::Tensor& patches) const {
  return convolved(patches, m_grid.rows, m_grid.cols);
}

/// [B, H, K, e] of the kept patches → the same: dropped ones are 0 and receive nothing.
at::Tensor DepthwiseResidual::overKept(const at::Tensor& patches) const {
  const std::int64_t batch = patches.size(0), kept = patches.size(2);
  const at::Tensor places = m_kept.view({batch, 1, kept, 1}).expand(patches.sizes());
  const at::Tensor whole =
      at::zeros({batch, patches.size(1), m_grid.patches(), patches.size(3)}, patches.options());
  return overGrid(whole.scatter(2, places, patches)).gather(2, places);
}

namespace {

LinearKernel kernelOf(const LinearAngularOptions& options) {
  const LinearKernel& kernel = linearKernel(options.kernel);
  return kernel.name == "angular_series" ? angularSeries(options.terms) : kernel;
}

/// Multiply-accumulates of the similarities and of what they make of the values; `tokens` queries
/// and keys. The sums of a series and angles are not counted, as no activation is.
std::int64_t kernelMacs(const LinearKernel& kernel, std::int64_t tokens, std::int64_t heads,
                        std::int64_t keyWidth, std::int64_t valueWidth) {
  if (kernel.ofPairs) return tokens * tokens * heads * (keyWidth + valueWidth);
  // These carry a constant feature beside the others.
  const bool constant = kernel.name == "mean_centering" || kernel.name == "half_sum";
  return 2 * tokens * heads * (keyWidth + (constant ? 1 : 0)) * valueWidth;
}

}  // namespace

LinearAngularHeads::LinearAngularHeads(const LinearAngularOptions& options, int heads,
                                       const Grid& grid)
    : m_kernel(kernelOf(options)), m_auxiliary(options) {
  if (options.residual != "none")
    m_residual = std::make_shared<DepthwiseResidual>(options, heads, grid);
}

void LinearAngularHeads::count(CostCounter& counter, const LinearAngularOptions& options, int heads,
                               std::int64_t keyWidth, std::int64_t valueWidth, const Grid& grid) {
  const std::int64_t tokens = grid.tokens();
  counter.macs("keys times values, queries",
               kernelMacs(kernelOf(options), tokens, heads, keyWidth, valueWidth));
  if (options.auxiliary && !options.withoutBranch)
    counter.macs("auxiliary", tokens * tokens * heads * (keyWidth + valueWidth));
  if (options.residual != "none")
    DepthwiseResidual::count(counter, options, heads, valueWidth, grid);
}

at::Tensor LinearAngularHeads::forward(const at::Tensor& q, const at::Tensor& k,
                                       const at::Tensor& v, bool training, WeighedValues* product) {
  if (QueryKeyHook::wanted()) QueryKeyHook::notify(q, k);
  const bool active = m_auxiliary.active(training);
  at::Tensor weights, extra;
  // A map costs T × T anyway, so the mask's nonzeros are counted even without the branch.
  if (active || (product && m_auxiliary.present()))
    std::tie(extra, weights) = m_auxiliary.attend(q, k, v, product != nullptr);
  else
    m_auxiliary.skip();
  if (!active) extra = at::Tensor();
  const Float32Scope exact;  // from here on: softmax attention multiplies in 16 bits by itself
  const KernelFeatures features = m_kernel.features(q, k);
  if (product) {
    product->weights =
        (active ? m_kernel.map(features) + weights : m_kernel.map(features)).detach();
    product->values = v;
  }
  const at::Tensor y = m_kernel.apply(features, v, extra, product ? &product->mixed : nullptr);
  return m_residual ? y + m_residual->forward(v) : y;
}

std::string LinearAngularHeads::mapMeaning() const {
  const std::string tail = m_auxiliary.present() && !m_auxiliary.withoutBranch()
                               ? "; with the auxiliary masked softmax."
                               : ".";
  return m_kernel.meaning + tail;
}

std::string LinearAngularHeads::kernelText(bool training) const {
  return std::string(m_kernel.ofPairs ? "matrix products over all pairs"
                                      : "matrix products, keys times values first") +
         (m_residual ? ", and a depthwise convolution" : "") +
         (m_auxiliary.active(training) ? "; auxiliary branch over all pairs" : "");
}

bool LinearAngularHeads::mapIsSigned() const {
  return m_kernel.isSigned;
}

/// relu_s has no denominator, and while there is an auxiliary branch its weights come on top.
bool LinearAngularHeads::mapRowsSumToOne() const {
  const bool alone = !m_auxiliary.present() || m_auxiliary.withoutBranch();
  return !m_kernel.isSigned && !m_kernel.unitRows && alone;
}

void LinearAngular::setGrid(const Grid& grid) {
  if (const auto& residual = m_linear.residual()) residual->setGrid(grid);
}

void LinearAngular::setKept(const at::Tensor& kept) {
  if (const auto& residual = m_linear.residual()) residual->setKept(kept);
}

LinearAngular::LinearAngular(const AttentionOptions& options)
    : LinearAngularAttention(options, options.grid), m_options(options) {
  using torch::nn::LinearOptions;
  m_qkv = register_module(
      "qkv",
      AdaptableLinear(LinearOptions(options.width, 3 * options.width).bias(options.qkvBias)));
  if (m_linear.residual()) register_module("dconv", m_linear.residual());
  m_proj = register_module("proj", AdaptableLinear(options.width, options.width));
}

void LinearAngular::count(CostCounter& counter, const AttentionOptions& options) {
  const std::int64_t width = options.width, tokens = options.grid.tokens();
  const std::int64_t headWidth = width / options.heads;
  counter.linear("qkv", width, 3 * width, options.qkvBias, tokens);
  LinearAngularHeads::count(counter, linearAngularOptions(options.options), options.heads,
                            headWidth, headWidth, options.grid);
  counter.linear("proj", width, width, true, tokens);
}

at::Tensor LinearAngular::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const std::int64_t batch = tokens.size(0), count = tokens.size(1), heads = m_options.heads;
  const at::Tensor qkv =
      inFloat32(m_qkv(tokens)).view({batch, count, 3, heads, -1}).permute({2, 0, 3, 1, 4});
  const bool wanted = tap && tap->wants(m_options.layer);
  WeighedValues product;
  const at::Tensor y =
      m_linear.forward(qkv[0], qkv[1], qkv[2], is_training(), wanted ? &product : nullptr);
  if (wanted) {
    tap->take(m_options.layer, product.weights);
    tap->follow(m_options.layer, {{product}});
  }
  return m_proj(throughHook(tap, y.transpose(1, 2).reshape({batch, count, -1})));
}

}  // namespace headlight
