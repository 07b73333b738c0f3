// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/aft/AftConv.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "core/attention/aft/AftPlots.h"
#include "core/attention/kernels/RelativeSums.h"
#include "core/base/ModelPart.h"
#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr double kSmallest = std::numeric_limits<float>::min();

/// The least that a sum of weights is believed to be, as a share of the sum over all tokens: e^w −
/// 1 cancels against that sum where w is very negative.
double leastShare(const at::Tensor& like, bool global) {
  if (!global) return kSmallest;  // nothing cancels
  return like.scalar_type() == at::kDouble ? std::numeric_limits<double>::epsilon()
                                           : std::numeric_limits<float>::epsilon();
}

/// The taps that can meet a patch of the grid: offsets of less than its rows and columns.
at::Tensor tapsWithin(const at::Tensor& filter, const Grid& grid) {
  const auto middle = [](const at::Tensor& taps, std::int64_t axis, std::int64_t side) {
    const std::int64_t kept = std::min<std::int64_t>(taps.size(axis), 2 * side - 1);
    return taps.narrow(axis, (taps.size(axis) - kept) / 2, kept);
  };
  return middle(middle(filter, 1, grid.rows), 2, grid.cols);
}

/// [N, N]: which tap of an s × s kernel leads from patch to patch, and whether there is one.
struct TapIndex {
  at::Tensor tap, exists;
};
TapIndex tapsBetweenPatches(const Grid& grid, std::int64_t kernel, const at::Device& device) {
  const at::Tensor patch = at::arange(grid.patches(), at::device(device).dtype(at::kLong));
  const auto offset = [&](const at::Tensor& place) {
    return place.unsqueeze(0) - place.unsqueeze(1) + kernel / 2;
  };
  const at::Tensor row = offset(at::div(patch, grid.cols, "floor")),
                   col = offset(at::remainder(patch, grid.cols));
  const auto inside = [&](const at::Tensor& at) { return at.ge(0) & at.lt(kernel); };
  return {(row * kernel + col).clamp(0, kernel * kernel - 1), inside(row) & inside(col)};
}

AftConvOptions readConv(const AttentionOptions& options) {
  auto own = optionsAs<AftConvOptions>(AftConv::optionTable(), options.options);
  if (own.kernel % 2 == 0)
    throw Failure({ErrorCode::InvalidConfig,
                   tr("a kernel of ") + std::to_string(own.kernel) +
                       tr(" taps has no center; use an odd number"),
                   "model.attention.kernel"});
  return own;
}

}  // namespace

at::Tensor aftConvContext(const at::Tensor& keys, const at::Tensor& values, const at::Tensor& bias,
                          const Grid& grid, bool global) {
  const std::int64_t images = values.size(0), tokens = values.size(1), width = values.size(2),
                     heads = keys.size(2), each = width / heads;
  // e^K ⊙ V and, as one more feature of every head, e^K.
  const at::Tensor weights = aftKeyWeights(keys).unsqueeze(-1);
  const at::Tensor terms =
      at::cat({weights * values.reshape({images, tokens, heads, each}), weights}, -1);
  const at::Tensor total = terms.sum(1, /*keepdim=*/true);
  const at::Tensor taps = tapsWithin(global ? bias.expm1() : bias.exp(), grid);
  const at::Tensor filter =
      taps.unsqueeze(1).expand({-1, each + 1, -1, -1}).reshape({-1, taps.size(1), taps.size(2)});
  const at::Tensor patches =
      terms.slice(1, grid.prefix).reshape({images, grid.rows, grid.cols, heads * (each + 1)});
  const at::Tensor near = relativeSums(patches, filter);
  const at::Tensor rest = global ? total : terms.slice(1, 0, grid.prefix).sum(1, true);
  at::Tensor sums = near.reshape({images, grid.patches(), heads, each + 1}) + rest;
  if (grid.prefix > 0) sums = at::cat({total.expand({-1, grid.prefix, -1, -1}), sums}, 1);
  const at::Tensor least = total.detach().narrow(-1, each, 1) * leastShare(values, global);
  const at::Tensor divisor = at::maximum(sums.narrow(-1, each, 1), least);
  return (sums.narrow(-1, 0, each) / divisor).reshape({images, tokens, width});
}

at::Tensor aftConvMap(const at::Tensor& keys, const at::Tensor& bias, const Grid& grid,
                      bool global) {
  const std::int64_t heads = bias.size(0), tokens = grid.tokens();
  const TapIndex index = tapsBetweenPatches(grid, bias.size(1), bias.device());
  const at::Tensor between = bias.flatten(1)
                                 .index_select(1, index.tap.flatten())
                                 .view({heads, grid.patches(), grid.patches()})
                                 .exp()
                                 .masked_fill(index.exists.logical_not(), global ? 1.0 : 0.0);
  at::Tensor pairs = at::ones({heads, tokens, tokens}, bias.options());
  pairs.slice(1, grid.prefix).slice(2, grid.prefix).copy_(between);
  const at::Tensor weights = pairs * aftKeyWeights(keys).transpose(1, 2).unsqueeze(2);
  return weights / weights.sum(-1, /*keepdim=*/true).clamp_min(kSmallest);
}

at::Tensor reparametrized(const at::Tensor& bias, const at::Tensor& gain, const at::Tensor& shift) {
  constexpr double kEpsilon = 1e-12;  // a head whose taps are all equal has no deviation
  const auto perHead = [](const at::Tensor& t) { return t.view({-1, 1, 1}); };
  const at::Tensor centerd = bias - bias.mean({1, 2}, /*keepdim=*/true);
  const at::Tensor deviation = (centerd.square().mean({1, 2}, /*keepdim=*/true) + kEpsilon).sqrt();
  return perHead(gain) * (centerd / deviation) + perHead(shift);
}

at::Tensor biasEntropy(const at::Tensor& bias) {
  const at::Tensor logs = bias.flatten(1).log_softmax(1);
  return -(logs.exp() * logs).sum();
}

at::Tensor gumbelSparse(const at::Tensor& bias, double temperature, bool hard) {
  const at::Tensor logits = bias.flatten(1);
  if (hard) {
    const at::Tensor peak = logits.detach().argmax(1, /*keepdim=*/true);
    return bias * at::zeros_like(logits).scatter(1, peak, 1.0).view_as(bias);
  }
  // −log of an exponential variable is a Gumbel variable.
  const at::Tensor noise = -at::empty_like(logits).exponential_().log();
  return bias * ((logits + noise) / temperature).softmax(1).view_as(bias);
}

AftConv::AftConv(const AttentionOptions& options) : AftConv(options, readConv(options)) {}

AftConv::AftConv(const AttentionOptions& options, const AftConvOptions& own)
    : AftAttention(options, options.heads, own.query), m_own(own), m_grid(options.grid) {
  const at::NoGradGuard noGrad;
  m_bias = register_parameter("position_bias",
                              at::empty({options.heads, own.kernel, own.kernel}).normal_(0, 0.01));
  if (!own.reparametrize) return;
  m_gain = register_parameter("position_gain", at::zeros({options.heads}));
  m_shift = register_parameter("position_shift", at::zeros({options.heads}));
}

const ParameterTable& AftConv::optionTable() {
  using O = AftConvOptions;
  static const ParameterTable table =
      TableBuilder<O>()
          .integer(&O::kernel, "kernel", 1, 127, "Side s of the s x s kernel; odd.")
          .boolean(&O::reparametrize, "reparametrize",
                   "Normalize each head's taps, with a learned gain and shift (Eq. 8).")
          .formerly("reparametrise")
          .boolean(&O::query, "query",
                   "Gate the result by a sigmoid of the query; off is an ablation.")
          .boolean(&O::global, "global",
                   "Keep patches outside the kernel connected; off is an ablation.")
          .number(&O::entropyPenalty, "entropy_penalty", 0, 10,
                  "Loss weight of the tap entropy (Eq. 9); 0.001 in the paper.")
          .boolean(&O::gumbel, "gumbel",
                   "One tap per head: Gumbel softmax in training, maximum in inference (Eq. 10).")
          .number(&O::gumbelTemperature, "gumbel_temperature", 0.01, 100,
                  "Temperature of the Gumbel softmax.")
          .build();
  return table;
}

void AftConv::count(CostCounter& counter, const AttentionOptions& options) {
  const AftConvOptions own = readConv(options);
  const std::int64_t heads = options.heads, taps = own.kernel * own.kernel;
  const Grid& grid = options.grid;
  countProjections(counter, options, heads, own.query);
  counter.parameters("positions", heads * (taps + (own.reparametrize ? 2 : 0)));
  const std::int64_t tall = std::min(own.kernel, 2 * grid.rows - 1),
                     wide = std::min(own.kernel, 2 * grid.cols - 1);
  counter.macs("conv", (options.width + heads) * grid.patches() * tall * wide);
}

std::string AftConv::mapMeaning() const {
  return "Implicit attention of AFT-conv (Eq. 3) without its query gate, the same for every "
         "feature "
         "of a head. Each row sums to 1.";
}

at::Tensor AftConv::denseBias() const {
  return m_gain.defined() ? reparametrized(m_bias, m_gain, m_shift) : m_bias;
}

at::Tensor AftConv::positionBias() const {
  return m_own.gumbel ? gumbelSparse(denseBias(), m_own.gumbelTemperature, /*hard=*/true)
                      : denseBias();
}

at::Tensor AftConv::auxiliaryLoss() {
  return m_own.entropyPenalty > 0 ? m_own.entropyPenalty * biasEntropy(denseBias()) : at::Tensor();
}

at::Tensor AftConv::context(const at::Tensor& keys, const at::Tensor& values) {
  const PartScope scope(ModelPart::Attention, /*whole=*/true);  // its convolution is the attention
  const bool drawn = m_own.gumbel && is_training();
  const at::Tensor bias =
      drawn ? gumbelSparse(denseBias(), m_own.gumbelTemperature, /*hard=*/false) : positionBias();
  return aftConvContext(keys, values, bias, m_grid, m_own.global);
}

at::Tensor AftConv::map(const at::Tensor& keys) {
  return aftConvMap(keys, positionBias(), m_grid, m_own.global);
}

std::vector<MechanismPlotInfo> AftConv::mechanismPlots() const {
  std::vector<MechanismPlotInfo> all = aftKernelPlots(m_own);
  all.push_back(aftKeysPlot(" (K has one column a head)"));
  return all;
}

MechanismPlotAnswer AftConv::mechanismPlot(const std::string& name,
                                           const MechanismPlotQuery& question) {
  if (name == kAftKeysPlot) return AftAttention::mechanismPlot(name, question);
  const at::NoGradGuard noGrad;
  return aftKernelPlot(name, positionBias());
}

}  // namespace headlight
