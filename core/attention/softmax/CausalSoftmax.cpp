// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/softmax/CausalSoftmax.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/attention/base/HeadWidths.h"
#include "core/attention/base/TokenPairLimit.h"
#include "core/attention/kernels/HeadAttention.h"

namespace headlight {
namespace {

/// Queries `first` to `last` − 1 with the keys before `last`.
AttentionOutput causalRows(const HeadInputs& all, std::int64_t first, std::int64_t last,
                           bool wantMap) {
  const HeadInputs some =
      HeadInputs::apart(all.part(0).slice(2, first, last), all.part(1).slice(2, 0, last),
                        all.part(2).slice(2, 0, last));
  HeadLogits logits;
  logits.rules.resize(static_cast<std::size_t>(all.heads), LogitRule::Keep);
  logits.masks.resize(static_cast<std::size_t>(all.heads));
  logits.apart = at::ones({1, last - first, last}, all.options().dtype(at::kBool)).triu(first + 1);
  return headAttention(some, logits, wantMap);
}

}  // namespace

void checkCausalSoftmax(const CausalSoftmaxOptions& options) {
  requireHeadsDivide(options.heads, options.width);
  requireTokenPairsFit(options.length, options.length, "model.mechanism",
                       "use shorter sequences (data.image_size, model.length), aft_simple, or "
                       "aft_local with factorized biases and a small window");
}

CausalSoftmax::CausalSoftmax(const CausalSoftmaxOptions& options) : m_options(options) {
  checkCausalSoftmax(options);
  const std::int64_t width = options.width;
  m_qkv = register_module("qkv", torch::nn::Linear(width, 3 * width));
  m_proj = register_module("proj", torch::nn::Linear(width, width));
}

at::Tensor CausalSoftmax::forward(const at::Tensor& tokens) {
  const HeadInputs all = HeadInputs::packed(m_qkv(tokens), m_options.heads);
  std::vector<at::Tensor> rows;
  for (std::int64_t first = 0; first < all.queries; first += kRowsAtATime)
    rows.push_back(
        causalRows(all, first, std::min(first + kRowsAtATime, all.queries), false).output);
  return m_proj(rows.size() == 1 ? rows.front() : at::cat(rows, 1));
}

at::Tensor CausalSoftmax::step(const at::Tensor& token, CausalState& state) {
  requireRoom(state, m_options.length);
  const std::int64_t batch = token.size(0), heads = m_options.heads,
                     width = m_options.width / heads, position = state.position++;
  const at::Tensor qkv = m_qkv(token).view({batch, 3, heads, width});
  if (position == 0) {
    state.keys = at::empty({batch, heads, m_options.length, width}, qkv.options());
    state.values = at::empty_like(state.keys);
  }
  state.keys.select(2, position).copy_(qkv.select(1, 1));
  state.values.select(2, position).copy_(qkv.select(1, 2));
  const at::Tensor query = qkv.select(1, 0).unsqueeze(2) / std::sqrt(static_cast<double>(width));
  const at::Tensor seen = state.keys.slice(2, 0, position + 1);
  const at::Tensor weights = at::matmul(query, seen.transpose(-2, -1)).softmax(-1);
  return m_proj(at::matmul(weights, state.values.slice(2, 0, position + 1))
                    .reshape({batch, m_options.width}));
}

at::Tensor CausalSoftmax::map(const at::Tensor& tokens) {
  const at::NoGradGuard noGrad;
  const HeadInputs all = HeadInputs::packed(m_qkv(tokens), m_options.heads);
  return causalRows(all, 0, all.queries, true).map;
}

std::string CausalSoftmax::mapMeaning() const {
  return "Softmax attention, causal: each row sums to 1 over the position itself and those before "
         "it.";
}

}  // namespace headlight
