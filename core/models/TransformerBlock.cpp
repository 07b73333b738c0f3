#include "core/models/TransformerBlock.h"

#include <ATen/ATen.h>

#include "core/models/ConvolvedMlp.h"
#include "core/models/GatedMlp.h"

namespace headlight {
namespace {

std::shared_ptr<BlockMlp> makeMlp(const BlockOptions& options) {
  const int width = options.attention.width, hidden = options.hiddenWidth();
  if (options.mlp == "swiglu") return std::make_shared<PackedSwiGlu>(width, hidden);
  if (options.mlp != "plain")
    return std::make_shared<SwiGlu>(width, hidden, options.mlp == "swiglu_norm",
                                    options.normEpsilon);
  if (options.mlpConvolution == 0) return std::make_shared<Mlp>(width, hidden, options.activation);
  return std::make_shared<ConvolvedMlp>(width, hidden, options.mlpConvolution,
                                        options.attention.grid);
}

}  // namespace

TransformerBlock::TransformerBlock(const BlockOptions& options)
    : m_dropPath(options.dropPath), m_mlpDropPath(options.mlpDropPath ? options.dropPath : 0.0) {
  const int width = options.attention.width;
  m_norm1 = register_module("norm1", makeNorm(width, options.normEpsilon));
  m_attention = register_module("attn", makeAttention(options.mechanism, options.attention));
  m_scale1 = makeScale("1", options);
  m_norm2 = register_module("norm2", makeNorm(width, options.normEpsilon));
  m_mlp = register_module("mlp", makeMlp(options));
  m_scale2 = makeScale("2", options);
}

at::Tensor TransformerBlock::makeScale(const std::string& number, const BlockOptions& options) {
  if (options.layerScale == 0) return {};
  const at::Tensor start = at::full({options.attention.width}, options.layerScale);
  if (options.bareScale) return register_parameter("gamma_" + number, start);
  return register_module("ls" + number, std::make_shared<Holder>())
      ->register_parameter("gamma", start);
}

void TransformerBlock::count(CostCounter& counter, const std::string& prefix,
                             const BlockOptions& options) {
  const std::int64_t width = options.attention.width, hidden = options.hiddenWidth(),
                     tokens = options.attention.grid.tokens();
  counter.enter(prefix + "attn.");
  mechanismOf(options.mechanism).count(counter, options.attention);
  counter.enter(prefix);
  counter.parameters("norms", 4 * width);
  const int firsts = options.mlp == "plain" ? 1 : 2;  // a gate beside it
  for (int i = 0; i < firsts; ++i)
    counter.linear("mlp.fc1", width, hidden, true, tokens);
  if (options.mlp == "swiglu_norm") counter.parameters("mlp.norm", 2 * hidden);
  if (options.mlpConvolution > 0)
    counter.convolution("mlp.dconv", hidden, hidden, options.mlpConvolution, hidden, false,
                        options.attention.grid.patches());
  counter.linear("mlp.fc2", hidden, width, true, tokens);
  if (options.layerScale > 0) counter.parameters("ls", 2 * width);
  counter.enter("");
}

at::Tensor TransformerBlock::join(const at::Tensor& tokens, at::Tensor branch,
                                  const at::Tensor& scale, double rate) {
  if (scale.defined()) branch = branch * scale;
  if (is_training() && rate > 0) branch = dropPath(branch, rate);
  return addBranch(tokens, branch);
}

at::Tensor TransformerBlock::forward(const at::Tensor& tokens, AttentionTap* tap) {
  const at::Tensor entering = m_norm1(tokens);
  if (tap) tap->enter(entering);
  const at::Tensor attended =
      join(tokens, m_attention->forward(entering, tap), m_scale1, m_dropPath);
  return join(attended, m_mlp->forward(m_norm2(attended)), m_scale2, m_mlpDropPath);
}

}  // namespace headlight
