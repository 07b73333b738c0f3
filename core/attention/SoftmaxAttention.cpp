#include "core/attention/SoftmaxAttention.h"

#include <ATen/ATen.h>

#include "core/attention/kernels/DenseAttention.h"

namespace headlight {

SoftmaxAttention::SoftmaxAttention(const AttentionOptions& options)
    : MaskedAttention(options.layer, options.heads, options.grid), m_options(options) {
  using torch::nn::LinearOptions;
  m_qkv = register_module(
      "qkv",
      torch::nn::Linear(LinearOptions(options.width, 3 * options.width).bias(options.qkvBias)));
  m_proj = register_module("proj", torch::nn::Linear(options.width, options.width));
}

void SoftmaxAttention::count(CostCounter& counter, const AttentionOptions& options) {
  const std::int64_t width = options.width, tokens = options.grid.tokens();
  counter.linear("qkv", width, 3 * width, options.qkvBias, tokens);
  counter.macs("logits and values", 2 * tokens * tokens * width);  // QKᵀ and AV
  counter.linear("proj", width, width, true, tokens);
}

std::string SoftmaxAttention::mapMeaning() const {
  return "Softmax attention: each row sums to 1 over the tokens that its query looks at.";
}

at::Tensor SoftmaxAttention::forward(const at::Tensor& tokens, AttentionTap* tap) {
  const bool wanted = tap && tap->wants(m_options.layer);
  const at::Tensor qkv = m_qkv(tokens);
  auto [output, map] = denseAttention(qkv, m_options.heads, logitMasks(qkv.options()), wanted);
  if (wanted) tap->take(m_options.layer, map);
  return m_proj(output);
}

}  // namespace headlight
