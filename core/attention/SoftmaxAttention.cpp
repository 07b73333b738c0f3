#include "core/attention/SoftmaxAttention.h"

#include <ATen/ATen.h>

#include "core/attention/MixedPrecision.h"

namespace headlight {

const ParameterTable& SoftmaxAttention::optionTable() {
  static const ParameterTable table =
      TableBuilder<Options>()
          .choice(&Options::kernel, "kernel", {"auto", "dense", "linear"},
                  "How hard, strict and random heads are computed; auto goes by their size.")
          .build();
  return table;
}

SoftmaxAttention::SoftmaxAttention(const AttentionOptions& options)
    : MaskedAttention(options.layer, options.heads, options.grid), m_options(options) {
  const auto own = optionsAs<Options>(optionTable(), options.options);
  setKernel(own.kernel == "linear"  ? Kernel::Linear
            : own.kernel == "dense" ? Kernel::Dense
                                    : Kernel::Auto);
  using torch::nn::LinearOptions;
  m_qkv = register_module(
      "qkv",
      torch::nn::Linear(LinearOptions(options.width, 3 * options.width).bias(options.qkvBias)));
  m_proj = register_module("proj", torch::nn::Linear(options.width, options.width));
}

void SoftmaxAttention::count(CostCounter& counter, const AttentionOptions& options) {
  const std::int64_t width = options.width, tokens = options.grid.tokens();
  counter.linear("qkv", width, 3 * width, options.qkvBias, tokens);
  counter.products("logits and values", options.layer, options.grid, options.heads,
                   width / options.heads);
  counter.linear("proj", width, width, true, tokens);
}

std::string SoftmaxAttention::mapMeaning() const {
  return "Softmax attention: each row sums to 1 over the tokens that its query looks at.";
}

AttentionOutput SoftmaxAttention::attend(const at::Tensor& qkv, bool wantMap) {
  const HeadLogits logits = logitMasks(qkv.options(), linearKernelsTake(qkv));
  return runHeads(HeadInputs::packed(qkv, m_options.heads), logits, wantMap);
}

at::Tensor SoftmaxAttention::forward(const at::Tensor& tokens, AttentionTap* tap) {
  const bool wanted = tap && tap->wants(m_options.layer);
  const AttentionOutput result = attend(inFloat32(m_qkv(tokens)), wanted);
  if (wanted) tap->take(m_options.layer, result.map);
  return m_proj(result.output);
}

}  // namespace headlight
