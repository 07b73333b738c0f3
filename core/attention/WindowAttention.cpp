#include "core/attention/WindowAttention.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

namespace headlight {
namespace {

WindowShape shapeOf(const AttentionOptions& options) {
  const auto own = optionsAs<WindowOptions>(WindowAttention::options(), options.options);
  return windowShape(options.grid, own.window, own.shift && options.layerInStage % 2 == 1);
}

}  // namespace

const ParameterTable& WindowAttention::options() {
  using O = WindowOptions;
  static const ParameterTable table =
      TableBuilder<O>()
          .integer(&O::window, "window", 1, 256,
                   "Side of a window in patches; a smaller grid is one window.")
          .boolean(&O::shift, "shift",
                   "Whether windows move by half their side in every second block of a stage.")
          .build();
  return table;
}

WindowAttention::WindowAttention(const AttentionOptions& options)
    : WindowAttention(options, shapeOf(options)) {}

WindowAttention::WindowAttention(const AttentionOptions& options, const WindowShape& shape)
    : MaskedAttention(options.layer, options.heads, shape.window),
      m_options(options),
      m_windows(shape) {
  using torch::nn::LinearOptions;
  const at::NoGradGuard noGrad;
  m_biasTable = register_parameter("relative_position_bias_table",
                                   at::zeros({shape.offsets(), options.heads}).normal_(0, 0.02));
  m_qkv = register_module(
      "qkv",
      torch::nn::Linear(LinearOptions(options.width, 3 * options.width).bias(options.qkvBias)));
  m_proj = register_module("proj", torch::nn::Linear(options.width, options.width));
}

void WindowAttention::count(CostCounter& counter, const AttentionOptions& options) {
  const WindowShape shape = shapeOf(options);
  const std::int64_t width = options.width, inside = shape.window.patches(),
                     places = shape.padded.patches();
  counter.parameters("relative_position_bias_table", shape.offsets() * options.heads);
  counter.linear("qkv", width, 3 * width, options.qkvBias, places);
  counter.macs("logits and values", 2 * places * inside * width);  // QKᵀ and AV
  counter.linear("proj", width, width, true, options.grid.tokens());
}

std::string WindowAttention::mapMeaning() const {
  return "Softmax attention within windows: each row sums to 1 over the window of its query and is "
         "0 outside it. Where a window reaches beyond the picture, what falls there is not shown.";
}

at::Tensor WindowAttention::forward(const at::Tensor& tokens, AttentionTap* tap) {
  const at::Tensor windows = m_windows.partition(tokens);
  const auto count = windows.size(0), inside = windows.size(1), width = windows.size(2);
  const auto heads = m_options.heads, headWidth = m_options.width / heads;
  const at::Tensor parts =
      m_qkv(windows).view({count, inside, 3, heads, headWidth}).permute({2, 0, 3, 1, 4});
  const double scale = 1.0 / std::sqrt(static_cast<double>(headWidth));
  const at::Tensor logits = at::matmul(parts[0] * scale, parts[1].transpose(-2, -1))
                                .add_(m_windows.relativeBias(m_biasTable));
  // The heads' masks first: a hard one sets logits to 0, which must not reopen another region.
  const at::Tensor map =
      m_windows.separate(masked(logits), -std::numeric_limits<double>::infinity()).softmax(-1);
  if (tap && tap->wants(m_options.layer))
    tap->take(m_options.layer, m_windows.wholeMap(map.detach()));
  const at::Tensor mixed =
      at::matmul(map, parts[2]).transpose(1, 2).reshape({count, inside, width});
  return m_proj(m_windows.reverse(mixed));
}

}  // namespace headlight
