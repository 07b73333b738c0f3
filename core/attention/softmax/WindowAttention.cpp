// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/softmax/WindowAttention.h"

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"

namespace headlight {
namespace {

WindowShape shapeOf(const AttentionOptions& options) {
  const auto own = optionsAs<WindowOptions>(WindowAttention::optionTable(), options.options);
  return windowShape(options.grid, own.window, own.shift && options.layerInStage % 2 == 1);
}

}  // namespace

const ParameterTable& WindowAttention::optionTable() {
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
  counter.notice(edgeNotice(shape));
}

std::string WindowAttention::mapMeaning() const {
  return "Softmax attention within windows: each row sums to 1 over the window of its query and is "
         "0 outside it. Where a window reaches beyond the picture, what falls there is not shown.";
}

at::Tensor WindowAttention::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const bool wanted = tap && tap->wants(m_options.layer);
  const at::Tensor given = m_qkv(m_windows.partition(tokens)),
                   qkv = wanted ? inFloat32(given) : given;
  // A hard mask sets logits to 0, which does not reopen another region: regions part after it.
  HeadLogits logits = logitMasks(qkv.options());
  logits.bias = m_windows.relativeBias(m_biasTable);
  logits.apart = m_windows.apart(qkv.device());
  const HeadInputs inputs = HeadInputs::packed(qkv, m_options.heads);
  const auto [output, map] = runHeads(inputs, logits, wanted);
  if (wanted) {
    tap->take(m_options.layer, m_windows.wholeMap(map));
    tap->follow(m_options.layer, {{{map, inputs.part(2), output}}, [this](const auto& parts) {
                                    return m_windows.wholeMap(parts[0]);
                                  }});
  }
  return m_proj(m_windows.reverse(output));
}

}  // namespace headlight
