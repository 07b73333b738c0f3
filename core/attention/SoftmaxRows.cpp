#include "core/attention/SoftmaxRows.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

at::Tensor onHost(const at::Tensor& part) {
  return part[0].detach().to(at::kCPU, at::kFloat).contiguous();
}

/// Rows `first` to `first` + `count` of a head's mask, [count, T], from what each row selects.
at::Tensor maskFrom(const SelectedSets& sets, int first, int count) {
  at::Tensor mask = at::zeros({count, sets.tokens});
  for (int i = 0; i < count; ++i) {
    float* row = mask.data_ptr<float>() + i * sets.tokens;
    const int query = first + i;
    if (query < sets.prefix) std::fill_n(row, sets.tokens, 1.0f);
    for (int s = sets.rowStart[query]; s < sets.rowStart[query + 1]; ++s)
      row[sets.columns[s]] = 1.0f;
  }
  return mask;
}

}  // namespace

SoftmaxRows::SoftmaxRows(const HeadInputs& inputs, const HeadLogits& logits)
    : m_queries(onHost(inputs.part(0)).div(std::sqrt(static_cast<double>(inputs.keyWidth)))),
      m_keys(onHost(inputs.part(1))),
      m_logits(logits) {
  if (m_logits.alpha.defined()) m_logits.alpha = m_logits.alpha.detach().to(at::kCPU, at::kFloat);
  if (m_logits.bias.defined()) m_logits.bias = m_logits.bias.detach().to(at::kCPU, at::kFloat);
}

at::Tensor SoftmaxRows::maskOf(int head, int first, int count) const {
  if (m_logits.isLinear(head)) return maskFrom(*m_logits.sets[head], first, count);
  const at::Tensor& mask = m_logits.masks[head];
  return mask.defined() ? mask.narrow(0, first, count).to(at::kCPU, at::kFloat) : mask;
}

HeadLogits SoftmaxRows::logitsOf(int head, int first, int count) const {
  HeadLogits one;
  one.rules = {m_logits.rules[head]};
  one.masks = {maskOf(head, first, count)};
  if (m_logits.alpha.defined()) one.alpha = m_logits.alpha.narrow(0, head, 1);
  if (m_logits.bias.defined()) one.bias = m_logits.bias.narrow(0, head, 1).narrow(1, first, count);
  return one;
}

std::vector<float> SoftmaxRows::rows(int head, int first, int count) const {
  const at::NoGradGuard noGrad;
  const at::Tensor logits =
      at::matmul(m_queries[head].narrow(0, first, count), m_keys[head].transpose(0, 1));
  const at::Tensor weights =
      headWeights(logits.view({1, 1, count, -1}), logitsOf(head, first, count)).contiguous();
  const float* begin = weights.data_ptr<float>();
  return {begin, begin + weights.numel()};
}

}  // namespace headlight
