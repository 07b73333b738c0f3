#include "core/models/TransformerBlock.h"

#include <ATen/ATen.h>

#include "core/models/ConvolvedMlp.h"

namespace headlight {
namespace {

std::shared_ptr<Mlp> makeMlp(const BlockOptions& options) {
  const int width = options.attention.width, hidden = options.hiddenWidth();
  if (options.mlpConvolution == 0) return std::make_shared<Mlp>(width, hidden);
  return std::make_shared<ConvolvedMlp>(width, hidden, options.mlpConvolution,
                                        options.attention.grid);
}

}  // namespace

TransformerBlock::TransformerBlock(const BlockOptions& options)
    : m_dropPath(options.dropPath), m_mlpDropPath(options.mlpDropPath ? options.dropPath : 0.0) {
  const int width = options.attention.width;
  m_norm1 = register_module("norm1", makeNorm(width, options.normEpsilon));
  m_attention = register_module("attn", makeAttention(options.mechanism, options.attention));
  if (options.layerScale > 0)
    m_scale1 = register_module("ls1", std::make_shared<LayerScale>(width, options.layerScale));
  m_norm2 = register_module("norm2", makeNorm(width, options.normEpsilon));
  m_mlp = register_module("mlp", makeMlp(options));
  if (options.layerScale > 0)
    m_scale2 = register_module("ls2", std::make_shared<LayerScale>(width, options.layerScale));
}

void TransformerBlock::count(CostCounter& counter, const std::string& prefix,
                             const BlockOptions& options) {
  const std::int64_t width = options.attention.width, hidden = options.hiddenWidth(),
                     tokens = options.attention.grid.tokens();
  counter.enter(prefix + "attn.");
  mechanismOf(options.mechanism).count(counter, options.attention);
  counter.enter(prefix);
  counter.parameters("norms", 4 * width);
  counter.linear("mlp.fc1", width, hidden, true, tokens);
  if (options.mlpConvolution > 0)
    counter.convolution("mlp.dconv", hidden, hidden, options.mlpConvolution, hidden, false,
                        options.attention.grid.patches());
  counter.linear("mlp.fc2", hidden, width, true, tokens);
  if (options.layerScale > 0) counter.parameters("ls", 2 * width);
  counter.enter("");
}

at::Tensor TransformerBlock::join(const at::Tensor& tokens, at::Tensor branch,
                                  const std::shared_ptr<LayerScale>& scale, double rate) {
  if (scale) branch = scale->forward(branch);
  if (is_training() && rate > 0) branch = dropPath(branch, rate);
  return addBranch(tokens, branch);
}

at::Tensor TransformerBlock::forward(const at::Tensor& tokens, AttentionTap* tap) {
  const at::Tensor attended =
      join(tokens, m_attention->forward(m_norm1(tokens), tap), m_scale1, m_dropPath);
  return join(attended, m_mlp->forward(m_norm2(attended)), m_scale2, m_mlpDropPath);
}

}  // namespace headlight
