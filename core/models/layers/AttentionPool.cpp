// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/layers/AttentionPool.h"

#include <ATen/ATen.h>

#include <cmath>

#include "core/attention/base/MixedPrecision.h"

namespace headlight {

AttentionPool::AttentionPool(const AttentionPoolOptions& options) : m_heads(options.heads) {
  const int width = options.width;
  m_latent = register_parameter("latent", at::zeros({1, 1, width}));
  m_query = register_module("q", torch::nn::Linear(width, width));
  m_keysAndValues = register_module("kv", torch::nn::Linear(width, 2 * width));
  m_proj = register_module("proj", torch::nn::Linear(width, width));
  m_norm = register_module("norm", makeNorm(width, options.normEpsilon));
  m_mlp = register_module(
      "mlp",
      std::make_shared<Mlp>(width, static_cast<int>(width * options.mlpRatio), options.activation));
  const at::NoGradGuard noGrad;
  m_latent.normal_(0, 1 / std::sqrt(static_cast<double>(width)));
}

void AttentionPool::count(CostCounter& counter, const AttentionPoolOptions& options,
                          std::int64_t tokens) {
  const std::int64_t width = options.width,
                     hidden = static_cast<std::int64_t>(options.width * options.mlpRatio);
  counter.enter("attn_pool.");
  counter.parameters("latent", width);
  counter.linear("q", width, width, true, 1);
  counter.linear("kv", width, 2 * width, true, tokens);
  counter.macs("logits and values", 2 * tokens * width);
  counter.linear("proj", width, width, true, 1);
  counter.parameters("norm", 2 * width);
  counter.linear("mlp.fc1", width, hidden, true, 1);
  counter.linear("mlp.fc2", hidden, width, true, 1);
  counter.enter("");
}

at::Tensor AttentionPool::forward(const at::Tensor& tokens) {
  const std::int64_t images = tokens.size(0), width = tokens.size(2), headWidth = width / m_heads;
  const auto byHead = [&](const at::Tensor& x) {
    return inFloat32(x).reshape({images, -1, m_heads, headWidth}).transpose(1, 2);
  };
  const auto kv = m_keysAndValues(tokens).chunk(2, -1);
  const at::Tensor query = byHead(m_query(m_latent).expand({images, 1, width}));
  const double scale = 1 / std::sqrt(static_cast<double>(headWidth));
  const at::Tensor weights =
      at::softmax(at::matmul(query * scale, byHead(kv[0]).transpose(2, 3)), -1);
  const at::Tensor heads = at::matmul(weights, byHead(kv[1])).transpose(1, 2);
  const at::Tensor joined = inFloat32(m_proj(heads.reshape({images, width})));
  return joined + inFloat32(m_mlp->forward(m_norm(joined)));
}

}  // namespace headlight
