// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/heads/GatheredHeads.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/kernels/heads/SetTensors.h"

namespace headlight::gathered {
namespace {

/// Queries (scaled), keys and values of a group, each [B, h, T, d].
struct Parts {
  at::Tensor q, k, v;
};

Parts partsOf(const at::Tensor& qkv, int heads, const HeadGroup& group) {
  const std::int64_t headWidth = qkv.size(2) / 3 / heads;
  const at::Tensor parts = qkv.reshape({qkv.size(0), qkv.size(1), 3, heads, headWidth})
                               .index_select(3, indexOn(qkv.device(), group.heads))
                               .permute({2, 0, 3, 1, 4});
  return {parts[0] / std::sqrt(static_cast<double>(headWidth)), parts[1], parts[2]};
}

/// Some patch rows: a − c of what they select, [B, h, n, L] with 0 for padding, and c [B, h, n, 1].
struct RowWeights {
  at::Tensor beyondRest, rest;
};

/// `q` [B, h, n, d], `keys` [B, h, n, L, d], the sets of the same n rows.
RowWeights rowWeights(const at::Tensor& q, const at::Tensor& keys, const PaddedSets& sets,
                      std::int64_t tokens, bool strict) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  const at::Tensor logits =
      at::matmul(keys, q.unsqueeze(-1)).squeeze(-1).masked_fill(sets.present.logical_not(), kNever);
  // m cancels, so that it is a constant to the gradients.
  at::Tensor highest = logits.detach().amax(-1, /*keepdim=*/true);
  // Where nothing is outside, 0 is none of the logits.
  const at::Tensor alone = sets.counts == tokens;
  if (!strict) highest = at::where(alone, highest, highest.clamp_min(0));
  const at::Tensor inside = (logits - highest).exp();
  if (strict) return {inside / inside.sum(-1, true), {}};
  const at::Tensor rest = (-highest).exp().masked_fill(alone, 0);
  const at::Tensor sum = inside.sum(-1, true) + rest * (tokens - sets.counts);
  const at::Tensor outside = rest / sum;
  return {inside / sum - outside * sets.present, outside};
}

/// [B, h, n, T].
at::Tensor mapOf(const RowWeights& weights, const PaddedSets& sets, std::int64_t tokens) {
  const at::Tensor beyond = weights.beyondRest.detach();
  std::vector<std::int64_t> shape = beyond.sizes().vec();
  const at::Tensor columns = sets.columns.expand(shape);
  shape.back() = tokens;
  at::Tensor map = weights.rest.defined() ? weights.rest.detach().expand(shape).clone()
                                          : beyond.new_zeros(shape);
  return map.scatter_add_(-1, columns, beyond);  // padding adds 0
}

/// The rows of one group, in order of their tokens.
struct RowParts {
  std::vector<at::Tensor> outputs, maps;  ///< [B, h, n, d], [B, h, n, T]

  void add(const ListedHeads& rows) {
    outputs.push_back(rows.output);
    if (rows.map.defined()) maps.push_back(rows.map);
  }
  ListedHeads joined() const {
    return {at::cat(outputs, 2), maps.empty() ? at::Tensor() : at::cat(maps, 2)};
  }
};

/// Prefix rows see every token.
ListedHeads prefixOf(const Parts& parts, std::int64_t prefix, bool wantMap) {
  const at::Tensor weights =
      at::matmul(parts.q.slice(2, 0, prefix), parts.k.transpose(-2, -1)).softmax(-1);
  return {at::matmul(weights, parts.v), wantMap ? weights.detach() : at::Tensor()};
}

/// out = Σ_{i∈L} (a_i − c)·v_i + c·Σv for the patch rows [first, last) of the sets.
ListedHeads patchRows(const Parts& parts, const at::Tensor& valueSum, const HeadGroup& group,
                      const PaddedSets& sets, std::int64_t first, std::int64_t last, bool wantMap) {
  const PaddedSets some{sets.columns.slice(0, first, last), sets.present.slice(0, first, last),
                        sets.counts.slice(0, first, last)};
  const std::int64_t prefix = group.sets->prefix, tokens = group.sets->tokens,
                     longest = some.columns.size(1), headWidth = parts.k.size(3);
  const at::Tensor index = some.columns.reshape({-1});
  const auto gather = [&](const at::Tensor& from) {
    return from.index_select(2, index).view(
        {from.size(0), from.size(1), last - first, longest, headWidth});
  };
  const RowWeights weights = rowWeights(parts.q.slice(2, prefix + first, prefix + last),
                                        gather(parts.k), some, tokens, group.strict);
  const at::Tensor selected =
      at::matmul(weights.beyondRest.unsqueeze(-2), gather(parts.v)).squeeze(-2);
  return {weights.rest.defined() ? selected + weights.rest * valueSum : selected,
          wantMap ? mapOf(weights, some, tokens) : at::Tensor()};
}

ListedHeads runGroup(const at::Tensor& qkv, int heads, const HeadGroup& group, bool wantMap,
                     std::int64_t gatheredValues) {
  const Parts parts = partsOf(qkv, heads, group);
  const PaddedSets sets = paddedSets(group.sets, qkv.device());
  const std::int64_t count = sets.columns.size(0);
  const std::int64_t inRow =
      parts.k.size(0) * parts.k.size(1) * sets.columns.size(1) * parts.k.size(3);
  const std::int64_t atATime =
      std::max<std::int64_t>(1, gatheredValues / std::max<std::int64_t>(1, inRow));
  const at::Tensor valueSum = parts.v.sum(2, /*keepdim=*/true);
  RowParts rows;
  if (group.sets->prefix > 0) rows.add(prefixOf(parts, group.sets->prefix, wantMap));
  for (std::int64_t first = 0; first < count; first += atATime)
    rows.add(
        patchRows(parts, valueSum, group, sets, first, std::min(first + atATime, count), wantMap));
  return rows.joined();
}

}  // namespace

ListedHeads forward(const at::Tensor& qkv, int heads, const std::vector<std::int64_t>& list,
                    const HeadLogits& logits, bool wantMap, std::int64_t gatheredValues) {
  const Float32Scope exact;
  return byGroups(qkv, heads, list, logits, wantMap, [&](const HeadGroup& group) {
    return runGroup(qkv, heads, group, wantMap, gatheredValues);
  });
}

ListedHeads prefixRows(const at::Tensor& qkv, int heads, const HeadGroup& group, bool wantMap) {
  const Float32Scope exact;
  return prefixOf(partsOf(qkv, heads, group), group.sets->prefix, wantMap);
}

}  // namespace headlight::gathered
