// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/softmax/SoftmaxRows.h"

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

/// In sums of their own, so that the compiler may take several at a time.
float keyProduct(const float* a, const float* b, int count) {
  constexpr int kSums = 16;
  float sums[kSums] = {};
  int i = 0;
  for (; i + kSums <= count; i += kSums)
    for (int j = 0; j < kSums; ++j)
      sums[j] += a[i + j] * b[i + j];
  float sum = 0;
  for (; i < count; ++i)
    sum += a[i] * b[i];
  for (const float part : sums)
    sum += part;
  return sum;
}

void softmaxOf(float* row, int count) {
  const float most = *std::max_element(row, row + count);
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += row[i] = std::exp(row[i] - most);
  const auto scale = static_cast<float>(1 / sum);
  for (int i = 0; i < count; ++i)
    row[i] *= scale;
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

HeadLogits SoftmaxRows::logitsOf(int firstHead, int heads, int first, int count) const {
  HeadLogits some;
  for (int head = firstHead; head < firstHead + heads; ++head) {
    some.rules.push_back(m_logits.rules[head]);
    some.masks.push_back(maskOf(head, first, count));
  }
  if (m_logits.alpha.defined()) some.alpha = m_logits.alpha.narrow(0, firstHead, heads);
  if (m_logits.bias.defined())
    some.bias = m_logits.bias.narrow(0, firstHead, heads).narrow(1, first, count);
  return some;
}

std::vector<float> SoftmaxRows::rows(int head, int first, int count) const {
  if (count == 1) {
    const std::lock_guard lock(m_mutex);
    if (m_keptQuery != first) keepRowsOf(first);
    const auto row = m_kept.begin() + head * m_keys.size(1);
    return {row, row + m_keys.size(1)};
  }
  const at::NoGradGuard noGrad;
  const at::Tensor logits =
      at::matmul(m_queries[head].narrow(0, first, count), m_keys[head].transpose(0, 1));
  const at::Tensor weights =
      headWeights(logits.view({1, 1, count, -1}), logitsOf(head, 1, first, count)).contiguous();
  const float* begin = weights.data_ptr<float>();
  return {begin, begin + weights.numel()};
}

/// By plain loops in this thread: on so few numbers a library spends more on copying keys into
/// blocks and on waking its threads, and the pointer's every move waits for this.
void SoftmaxRows::keepRowsOf(int query) const {
  const at::NoGradGuard noGrad;
  const int heads = static_cast<int>(m_keys.size(0)), tokens = static_cast<int>(m_keys.size(1)),
            width = static_cast<int>(m_keys.size(2));
  at::Tensor logits = at::empty({1, heads, 1, tokens});
  for (int head = 0; head < heads; ++head) {
    const float* keys = m_keys.data_ptr<float>() + std::int64_t{head} * tokens * width;
    const float* of = m_queries.data_ptr<float>() + (std::int64_t{head} * tokens + query) * width;
    float* row = logits.data_ptr<float>() + std::int64_t{head} * tokens;
    for (int key = 0; key < tokens; ++key)
      row[key] = keyProduct(of, keys + std::int64_t{key} * width, width);
  }
  logits = finalLogits(logits, logitsOf(0, heads, query, 1)).contiguous();
  m_kept.assign(logits.data_ptr<float>(), logits.data_ptr<float>() + logits.numel());
  for (int head = 0; head < heads; ++head)
    softmaxOf(m_kept.data() + std::int64_t{head} * tokens, tokens);
  m_keptQuery = query;
}

}  // namespace headlight
