// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/DeviceHeads.h"

#include <ATen/ATen.h>

#include "core/attention/kernels/cuda/LinearHeadsCuda.h"
#include "core/attention/kernels/heads/GatheredHeads.h"

namespace headlight {
namespace {

/// What concerns the listed heads, none of which has sets.
HeadLogits logitsOfHeads(const HeadLogits& logits, const std::vector<std::int64_t>& list,
                         const at::Tensor& index) {
  HeadLogits some;
  for (const std::int64_t head : list) {
    some.rules.push_back(logits.rules[head]);
    some.masks.push_back(logits.masks[head]);
  }
  if (logits.alpha.defined()) some.alpha = logits.alpha.index_select(0, index);
  return some;
}

/// The listed heads as a layer of their own, by matrix products.
ListedHeads denseHeads(const at::Tensor& qkv, int heads, const std::vector<std::int64_t>& list,
                       const HeadLogits& logits, bool wantMap) {
  const std::int64_t batch = qkv.size(0), tokens = qkv.size(1), width = qkv.size(2) / 3,
                     count = static_cast<std::int64_t>(list.size());
  const at::Tensor index = indexOn(qkv.device(), list);
  const at::Tensor own = qkv.reshape({batch, tokens, 3, heads, width / heads})
                             .index_select(3, index)
                             .reshape({batch, tokens, 3 * count * (width / heads)});
  const AttentionOutput result = headAttentionPlain(HeadInputs::packed(own, count),
                                                    logitsOfHeads(logits, list, index), wantMap);
  return {result.output.view({batch, tokens, count, width / heads}).transpose(1, 2), result.map};
}

ListedHeads linearHeads(const at::Tensor& qkv, int heads, const std::vector<std::int64_t>& list,
                        const HeadLogits& logits, bool wantMap) {
  return cuda::linearHeadsTake(qkv) ? cuda::linearHeads(qkv, heads, list, logits, wantMap)
                                    : gathered::forward(qkv, heads, list, logits, wantMap);
}

}  // namespace

AttentionOutput headAttentionOnDevice(const HeadInputs& inputs, const HeadLogits& logits,
                                      bool wantMap) {
  const int heads = static_cast<int>(inputs.heads);
  std::vector<std::int64_t> dense, linear;
  std::vector<std::int64_t> order(heads);  // where each head is in linear heads, then dense ones
  for (int h = 0; h < heads; ++h)
    (logits.isLinear(h) ? linear : dense).push_back(h);
  if (linear.empty()) return headAttentionPlain(inputs, logits, wantMap);
  TORCH_CHECK(inputs.isTimm() && !logits.hasTerms(),
              "linear-time heads are packed as timm's, without terms");
  const at::Tensor& qkv = inputs.tensor(0);
  for (std::size_t i = 0; i < linear.size(); ++i)
    order[linear[i]] = static_cast<std::int64_t>(i);
  for (std::size_t i = 0; i < dense.size(); ++i)
    order[dense[i]] = static_cast<std::int64_t>(linear.size() + i);
  ListedHeads all = linearHeads(qkv, heads, linear, logits, wantMap);
  if (!dense.empty()) {
    const ListedHeads rest = denseHeads(qkv, heads, dense, logits, wantMap);
    const at::Tensor index = indexOn(qkv.device(), order);
    all.output = at::cat({all.output, rest.output}, 1).index_select(1, index);
    if (wantMap) all.map = at::cat({all.map, rest.map}, 1).index_select(1, index);
  }
  const at::Tensor output =
      all.output.transpose(1, 2).reshape({qkv.size(0), qkv.size(1), qkv.size(2) / 3});
  return {output, all.map};
}

}  // namespace headlight
