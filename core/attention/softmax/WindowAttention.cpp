// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/softmax/WindowAttention.h"

#include <ATen/ATen.h>

#include <cmath>

#include "core/attention/base/MixedPrecision.h"
#include "core/base/ModelPart.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr int kBiasHidden = 512;
constexpr double kMostScale = 100, kFirstScale = 10;
constexpr double kMostBias = 16;
constexpr double kOffsetReach = 8;

/// One offset, −(side − 1) … side − 1, as a share of the window of `trained` on a scale of
/// logarithms.
at::Tensor offsetsAlong(int side, int trained) {
  const at::Tensor whole = at::arange(1 - side, side, at::kFloat);
  const at::Tensor share = (trained > 1 ? whole / (trained - 1) : whole) * kOffsetReach;
  return at::sign(share) * at::log2(share.abs() + 1) / std::log2(kOffsetReach);
}

/// [offsets, 2]: rows and columns, in the order of a table's rows. `trained`: 0: the window.
at::Tensor offsetsOf(const Grid& window, int trained) {
  const auto along = [&](int side) { return offsetsAlong(side, trained > 0 ? trained : side); };
  const auto pair = at::meshgrid({along(window.rows), along(window.cols)}, "ij");
  return at::stack({pair[0].flatten(), pair[1].flatten()}, -1);
}

/// For the dots in the names of its two layers.
class OffsetMlp : public torch::nn::Module {
 public:
  using torch::nn::Module::register_module;
};

WindowOptions windowOptions(const AttentionOptions& options) {
  auto own = optionsAs<WindowOptions>(WindowAttention::optionTable(), options.options);
  const int windows = static_cast<int>(own.pretrainedWindows.size());
  if (windows > 0 && windows <= options.stage)
    throw Failure({ErrorCode::InvalidConfig, tr("give one window for each stage, or none"),
                   "model.attention.pretrained_windows"});
  return own;
}

bool isCosine(const AttentionOptions& options) {
  return windowOptions(options).cosine;
}

/// 0: as it is now.
int pretrainedWindow(const AttentionOptions& options) {
  const std::vector<int> windows = windowOptions(options).pretrainedWindows;
  return windows.empty() ? 0 : windows[options.stage];
}

}  // namespace

WindowShape WindowAttention::shape(const AttentionOptions& options) {
  const WindowOptions own = windowOptions(options);
  return windowShape(options.grid, own.window, own.shift && options.layerInStage % 2 == 1);
}

const ParameterTable& WindowAttention::optionTable() {
  using O = WindowOptions;
  static const ParameterTable table =
      TableBuilder<O>()
          .integer(&O::window, "window", 1, 256,
                   "Window size in patches per side; a smaller grid is one window.")
          .boolean(&O::shift, "shift",
                   "Shift windows by half their side in every second block of a stage.")
          .boolean(&O::cosine, "cosine",
                   "Logits from the angle between query and key, with biases from an MLP of the "
                   "offsets (Swin V2).")
          .integers(&O::pretrainedWindows, "pretrained_windows", 0, 256,
                    "Window of each stage when the offsets' MLP was trained; empty or 0: as now.")
          .build();
  return table;
}

WindowAttention::WindowAttention(const AttentionOptions& options)
    : WindowAttention(options, shape(options)) {}

WindowAttention::WindowAttention(const AttentionOptions& options, const WindowShape& shape)
    : MaskedAttention(options.layer, options.heads, shape.window),
      m_options(options),
      m_windows(shape),
      m_cosine(isCosine(options)) {
  using torch::nn::LinearOptions;
  const at::NoGradGuard noGrad;
  if (m_cosine)
    makeCosine();
  else
    m_biasTable = register_parameter("relative_position_bias_table",
                                     at::zeros({shape.offsets(), options.heads}).normal_(0, 0.02));
  m_qkv = register_module(
      "qkv",
      AdaptableLinear(LinearOptions(options.width, 3 * options.width).bias(options.qkvBias)));
  m_proj = register_module("proj", AdaptableLinear(options.width, options.width));
}

void WindowAttention::setGrid(const Grid& grid) {
  AttentionOptions moved = m_options;
  moved.grid = grid;
  const WindowShape there = shape(moved);
  if (!(there.window == m_windows.shape().window)) return Attention::setGrid(grid);
  m_options = moved;
  m_windows = Windows(there);
}

void WindowAttention::makeCosine() {
  using torch::nn::LinearOptions;
  const std::int64_t heads = m_options.heads;
  m_logitScale = register_parameter("logit_scale", at::full({heads, 1, 1}, std::log(kFirstScale)));
  auto mlp = register_module("cpb_mlp", std::make_shared<OffsetMlp>());
  m_biasHidden = mlp->register_module("0", AdaptableLinear(2, kBiasHidden));
  m_biasOut =
      mlp->register_module("2", AdaptableLinear(LinearOptions(kBiasHidden, heads).bias(false)));
  m_offsets = offsetsOf(m_windows.shape().window, pretrainedWindow(m_options));
}

at::Tensor WindowAttention::biasTable() const {
  if (!m_cosine) return m_biasTable;
  const PartScope scope(ModelPart::Attention, /*whole=*/true);  // scores come of linear layers
  const at::Tensor offsets = m_offsets.to(m_logitScale.options());
  const at::Tensor hidden = at::relu(at::linear(offsets, m_biasHidden->weight, m_biasHidden->bias));
  return kMostBias * at::sigmoid(inFloat32(at::linear(hidden, m_biasOut->weight)));
}

at::Tensor WindowAttention::scaledToLength(const at::Tensor& qkv) const {
  constexpr double kLeastLength = 1e-12;
  const std::int64_t heads = m_options.heads, features = qkv.size(2) / 3 / heads;
  const at::Tensor parts = inFloat32(qkv).view({qkv.size(0), qkv.size(1), 3, heads, features});
  const auto normed = [&](int which) {
    const at::Tensor part = parts.select(2, which);
    return part / part.norm(2, {-1}, /*keepdim=*/true).clamp_min(kLeastLength);
  };
  // What follows divides by the root of the features.
  const at::Tensor scale = m_logitScale.clamp_max(std::log(kMostScale)).exp().view({heads, 1}) *
                           std::sqrt(static_cast<double>(features));
  return at::stack({normed(0) * scale, normed(1), parts.select(2, 2)}, 2).view(qkv.sizes());
}

void WindowAttention::count(CostCounter& counter, const AttentionOptions& options) {
  const WindowShape shape = WindowAttention::shape(options);
  const std::int64_t width = options.width, inside = shape.window.patches(),
                     places = shape.padded.patches();
  if (isCosine(options)) {
    counter.parameters("logit_scale", options.heads);
    counter.linear("cpb_mlp.0", 2, kBiasHidden, true, shape.offsets());
    counter.linear("cpb_mlp.2", kBiasHidden, options.heads, false, shape.offsets());
  } else {
    counter.parameters("relative_position_bias_table", shape.offsets() * options.heads);
  }
  counter.linear("qkv", width, 3 * width, options.qkvBias, places);
  counter.macs("logits and values", 2 * places * inside * width);  // QKᵀ and AV
  counter.linear("proj", width, width, true, options.grid.tokens());
  counter.notice(edgeNotice(shape));
}

std::string WindowAttention::mapMeaning() const {
  return "Softmax attention within windows: each row sums to 1 over the window of its query and is "
         "0 outside it. The part of a window beyond the image is not shown.";
}

at::Tensor WindowAttention::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const bool wanted = tap && tap->wants(m_options.layer);
  const at::Tensor projected = m_qkv(m_windows.partition(tokens)),
                   given = m_cosine ? scaledToLength(projected) : projected,
                   qkv = wanted ? inFloat32(given) : given;
  // A hard mask sets logits to 0, which does not reopen another region: regions part after it.
  HeadLogits logits = logitMasks(qkv.options());
  logits.bias = m_windows.relativeBias(biasTable());
  logits.apart = m_windows.apart(qkv.device());
  const HeadInputs inputs = HeadInputs::packed(qkv, m_options.heads);
  const auto [output, map] = runHeads(inputs, logits, wanted);
  if (wanted) {
    tap->take(m_options.layer, m_windows.wholeMap(map));
    tap->follow(m_options.layer, {{{map, inputs.part(2), output}}, [this](const auto& parts) {
                                    return m_windows.wholeMap(parts[0]);
                                  }});
  }
  return m_proj(throughHook(tap, m_windows.reverse(output)));
}

}  // namespace headlight
