// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/heads/HeadGroups.h"

#include <algorithm>

namespace headlight {
namespace {

std::vector<HeadGroup> groupsOf(const std::vector<std::int64_t>& list, const HeadLogits& logits) {
  std::vector<HeadGroup> groups;
  for (const std::int64_t head : list) {
    const auto& sets = logits.sets[head];
    const bool strict = logits.rules[head] == LogitRule::Forbid;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const HeadGroup& known) {
      return known.sets == sets && known.strict == strict;
    });
    if (group == groups.end()) group = groups.insert(groups.end(), HeadGroup{sets, strict, {}});
    group->heads.push_back(head);
  }
  return groups;
}

}  // namespace

ListedHeads byGroups(const at::Tensor& qkv, int heads, const std::vector<std::int64_t>& list,
                     const HeadLogits& logits, bool wantMap,
                     const std::function<ListedHeads(const HeadGroup&)>& run) {
  const std::int64_t batch = qkv.size(0), tokens = qkv.size(1);
  if (list.empty())
    return {at::empty({batch, 0, tokens, qkv.size(2) / 3 / heads}, qkv.options()),
            wantMap ? at::empty({batch, 0, tokens, tokens}, qkv.options()) : at::Tensor()};
  std::vector<at::Tensor> outputs, maps;
  std::vector<std::int64_t> ran;  // heads in the order of `outputs`
  for (const HeadGroup& group : groupsOf(list, logits)) {
    const ListedHeads part = run(group);
    outputs.push_back(part.output);
    if (wantMap) maps.push_back(part.map);
    ran.insert(ran.end(), group.heads.begin(), group.heads.end());
  }
  std::vector<std::int64_t> order;
  for (const std::int64_t head : list)
    order.push_back(std::find(ran.begin(), ran.end(), head) - ran.begin());
  const at::Tensor index = indexOn(qkv.device(), order);
  return {at::cat(outputs, 1).index_select(1, index),
          wantMap ? at::cat(maps, 1).index_select(1, index) : at::Tensor()};
}

at::Tensor indexOn(const at::Device& device, const std::vector<std::int64_t>& values) {
  return at::tensor(at::ArrayRef<std::int64_t>(values), at::kLong).to(device);
}

}  // namespace headlight
