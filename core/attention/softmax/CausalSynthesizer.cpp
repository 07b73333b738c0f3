// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/softmax/CausalSynthesizer.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/attention/base/HeadWidths.h"
#include "core/attention/base/TokenPairLimit.h"

namespace headlight {
namespace {

constexpr std::int64_t kSynthesizedRows = 128;  // at a time

}  // namespace

void checkCausalSynthesizer(const CausalSynthesizerOptions& options) {
  requireHeadsDivide(options.heads, options.width);
  requireTokenPairsFit(options.length, options.length, "model.mechanism",
                       "use shorter sequences (data.image_size, model.length), or "
                       "linear_transformer");
}

CausalSynthesizer::CausalSynthesizer(const CausalSynthesizerOptions& options) : m_options(options) {
  checkCausalSynthesizer(options);
  const std::int64_t width = options.width;
  if (options.synthesis == "dense")
    m_hidden = register_module("hidden", torch::nn::Linear(width, width));
  m_value = register_module("value", torch::nn::Linear(width, width));
  m_proj = register_module("proj", torch::nn::Linear(width, width));
  const SynthesizerShapes shapes = options.shapes();
  const at::NoGradGuard noGrad;
  m_first = register_parameter(shapes.first,
                               at::empty(shapes.firstShape).normal_(0, shapes.firstDeviation));
  if (shapes.second.empty()) return;
  m_second = register_parameter(shapes.second, at::zeros(shapes.secondShape));
  if (shapes.secondDeviation > 0) m_second.normal_(0, shapes.secondDeviation);
}

at::Tensor CausalSynthesizer::hiddenOf(const at::Tensor& tokens) {
  if (!m_hidden) return {};
  return m_hidden(tokens).relu().view({tokens.size(0), tokens.size(1), m_options.heads, -1});
}

at::Tensor CausalSynthesizer::rowWeights(const at::Tensor& hidden, std::int64_t first,
                                         std::int64_t last) const {
  const at::Tensor logits =
      synthesizedLogits(hidden, m_first, m_second, m_options.heads, first, last, last);
  const at::Tensor later =
      at::ones({last - first, last}, logits.options().dtype(at::kBool)).triu(first + 1);
  return logits.masked_fill(later, -std::numeric_limits<double>::infinity()).softmax(-1);
}

at::Tensor CausalSynthesizer::forward(const at::Tensor& tokens) {
  const std::int64_t batch = tokens.size(0), length = tokens.size(1), heads = m_options.heads;
  const at::Tensor hidden = hiddenOf(tokens),
                   values = m_value(tokens).view({batch, length, heads, -1}).transpose(1, 2);
  std::vector<at::Tensor> rows;
  for (std::int64_t first = 0; first < length; first += kSynthesizedRows) {
    const std::int64_t last = std::min(first + kSynthesizedRows, length);
    rows.push_back(at::matmul(rowWeights(hidden, first, last), values.slice(2, 0, last)));
  }
  return m_proj(at::cat(rows, 2).transpose(1, 2).reshape(tokens.sizes()));
}

at::Tensor CausalSynthesizer::step(const at::Tensor& token, CausalState& state) {
  requireRoom(state, m_options.length);
  const std::int64_t batch = token.size(0), heads = m_options.heads, position = state.position++;
  const at::Tensor value = m_value(token).view({batch, heads, -1});
  if (position == 0)
    state.values = at::empty({batch, heads, m_options.length, value.size(2)}, value.options());
  state.values.select(2, position).copy_(value);
  // The row of this position: of dense logits the only one of `token`.
  at::Tensor logits;
  if (m_hidden)
    logits = synthesizedLogits(hiddenOf(token.unsqueeze(1)), m_first, m_second, heads, 0, 1,
                               position + 1);
  else
    logits = synthesizedLogits({}, m_first, m_second, heads, position, position + 1, position + 1);
  return m_proj(at::matmul(logits.softmax(-1), state.values.slice(2, 0, position + 1))
                    .reshape({batch, m_options.width}));
}

at::Tensor CausalSynthesizer::map(const at::Tensor& tokens) {
  const at::NoGradGuard noGrad;
  const std::int64_t length = tokens.size(1);
  return rowWeights(hiddenOf(tokens), 0, length)
      .expand({tokens.size(0), m_options.heads, length, length})
      .contiguous();
}

std::string CausalSynthesizer::mapMeaning() const {
  const std::string tail = "; each row sums to 1 over the position itself and those before it.";
  return (m_options.synthesis == "dense"
              ? "Synthesizer, causal: the softmax of logits that each token makes of itself, by "
                "position of the key"
              : "Synthesizer, causal: the softmax of logits that are learned by position, the same "
                "for every sequence") +
         tail;
}

}  // namespace headlight
