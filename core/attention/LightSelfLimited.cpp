#include "core/attention/LightSelfLimited.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

namespace headlight {
namespace {

using Own = LightSelfLimitedOptions;

Own ownOf(const AttentionOptions& options) {
  return optionsAs<Own>(LightSelfLimitedAttention::options(), options.options);
}

WindowShape lslaShape(const AttentionOptions& options, const Own& own) {
  return windowShape(options.grid, own.window, own.shift && options.layerInStage % 2 == 1);
}

double fixedScale(const AttentionOptions& options) {
  return 1.0 / std::sqrt(static_cast<double>(options.width / options.heads));
}

}  // namespace

const ParameterTable& LightSelfLimitedAttention::options() {
  static const ParameterTable table =
      TableBuilder<Own>()
          .choice(&Own::variant, "variant", {"qxx", "qxv", "qkv"},
                  "Which of query, key and value are projected (q, k, v); x is the token itself.")
          .boolean(&Own::projection, "projection", "Whether a projection follows the heads.")
          .choice(&Own::scale, "scale", {"dynamic", "fixed"},
                  "A learned scale for every pair of places in a window, or the inverse root of d.")
          .boolean(&Own::innerBias, "inner_bias", "A bias by relative position before the softmax.")
          .boolean(&Own::outerBias, "outer_bias",
                   "A bias by relative position after the softmax, which limits large weights.")
          .integer(&Own::window, "window", 1, 64,
                   "Side of a window in patches; a smaller grid is one window.")
          .boolean(&Own::shift, "shift",
                   "Whether windows move by half their side in every second block of a stage.")
          .build();
  return table;
}

LightSelfLimitedAttention::LightSelfLimitedAttention(const AttentionOptions& options)
    : LightSelfLimitedAttention(options, ownOf(options)) {}

LightSelfLimitedAttention::LightSelfLimitedAttention(const AttentionOptions& options,
                                                     const Own& own)
    : MaskedAttention(options.layer, options.heads, lslaShape(options, own).window),
      m_options(options),
      m_own(own),
      m_windows(lslaShape(options, own)) {
  const at::NoGradGuard noGrad;
  const std::int64_t width = options.width, inside = m_windows.shape().window.patches();
  const auto linear = [&](bool bias) {
    return torch::nn::Linear(torch::nn::LinearOptions(width, width).bias(bias));
  };
  m_query = register_module("q", linear(options.qkvBias));
  if (own.variant == "qkv") m_key = register_module("k", linear(options.qkvBias));
  if (own.variant != "qxx") m_value = register_module("v", linear(options.qkvBias));
  if (own.projection) m_proj = register_module("proj", linear(true));
  // DS starts as the scale it replaces (Eq. 16); the biases as Swin's.
  if (own.scale == "dynamic")
    m_dynamicScale =
        register_parameter("dynamic_scale", at::full({inside, inside}, fixedScale(options)));
  const auto table = [&] {
    return at::zeros({m_windows.shape().offsets(), options.heads}).normal_(0, 0.02);
  };
  if (own.innerBias) m_innerTable = register_parameter("inner_bias_table", table());
  if (own.outerBias) m_outerTable = register_parameter("outer_bias_table", table());
}

void LightSelfLimitedAttention::count(CostCounter& counter, const AttentionOptions& options) {
  const Own own = ownOf(options);
  const WindowShape shape = lslaShape(options, own);
  const std::int64_t width = options.width, inside = shape.window.patches(),
                     places = shape.padded.patches(), table = shape.offsets() * options.heads;
  counter.linear("q", width, width, options.qkvBias, places);
  if (own.variant == "qkv") counter.linear("k", width, width, options.qkvBias, places);
  if (own.variant != "qxx") counter.linear("v", width, width, options.qkvBias, places);
  if (own.scale == "dynamic") counter.parameters("dynamic_scale", inside * inside);
  if (own.innerBias) counter.parameters("inner_bias_table", table);
  if (own.outerBias) counter.parameters("outer_bias_table", table);
  counter.macs("logits and values", 2 * places * inside * width);  // Q Xᵀ and A X
  if (own.projection) counter.linear("proj", width, width, true, options.grid.tokens());
}

std::string LightSelfLimitedAttention::mapMeaning() const {
  if (!m_own.outerBias)
    return "Softmax attention within windows, without the outer bias: each row sums to 1 over the "
           "window of its query and is 0 outside it.";
  return "Softmax attention within windows plus the outer bias that limits it (LSLA, Eq. 18): "
         "signed, rows need not sum to 1, and 0 outside the window of the query.";
}

at::Tensor LightSelfLimitedAttention::projected(torch::nn::Linear& projection,
                                                const at::Tensor& windows) {
  const at::Tensor tokens = projection.is_empty() ? windows : projection(windows);
  return tokens
      .reshape({tokens.size(0), tokens.size(1), m_options.heads, m_options.width / m_options.heads})
      .transpose(1, 2);
}

at::Tensor LightSelfLimitedAttention::limited(const at::Tensor& queries, const at::Tensor& keys) {
  const at::Tensor products = at::matmul(queries, keys.transpose(-2, -1));
  at::Tensor logits =
      m_dynamicScale.defined() ? products * m_dynamicScale : products * fixedScale(m_options);
  if (m_innerTable.defined()) logits = logits + m_windows.relativeBias(m_innerTable);
  const at::Tensor weights =
      m_windows.separate(masked(logits), -std::numeric_limits<double>::infinity()).softmax(-1);
  if (!m_outerTable.defined()) return weights;
  // Regions that only the shift brought together stay apart: B_o knows no offset between them.
  return m_windows.separate(weights + m_windows.relativeBias(m_outerTable), 0.0);
}

at::Tensor LightSelfLimitedAttention::forward(const at::Tensor& tokens, AttentionTap* tap) {
  const at::Tensor windows = m_windows.partition(tokens);
  const at::Tensor map = limited(projected(m_query, windows), projected(m_key, windows));
  if (tap && tap->wants(m_options.layer))
    tap->take(m_options.layer, m_windows.wholeMap(map.detach()));
  const at::Tensor mixed =
      at::matmul(map, projected(m_value, windows)).transpose(1, 2).reshape_as(windows);
  const at::Tensor output = m_windows.reverse(mixed);
  return m_proj.is_empty() ? output : m_proj(output);
}

}  // namespace headlight
