// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/EpochOrder.h"

#include <algorithm>
#include <numeric>

#include "core/base/Random.h"

namespace headlight {
namespace {

constexpr std::uint64_t kOrderPurpose = 0x6f72646572ULL;  // "order"
constexpr std::uint64_t kShardPurpose = 0x7368617264ULL;  // "shard"

std::vector<std::int64_t> inOrder(std::int64_t size) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(size));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

/// The samples of the shards, which come in a drawn order, each as it lies there.
std::vector<std::int64_t> inShardOrder(const std::vector<std::int64_t>& shards, std::uint64_t key) {
  std::vector<std::int64_t> begins(shards.size());
  std::exclusive_scan(shards.begin(), shards.end(), begins.begin(), std::int64_t(0));
  std::vector<std::int64_t> indices;
  for (const std::int64_t shard : permutation(static_cast<std::int64_t>(shards.size()), key))
    for (std::int64_t i = 0; i < shards[shard]; ++i)
      indices.push_back(begins[shard] + i);
  return indices;
}

/// Each place takes one of the buffer, and what comes next in `indices` takes its place there.
std::vector<std::int64_t> throughBuffer(const std::vector<std::int64_t>& indices,
                                        std::int64_t buffer, std::uint64_t key) {
  const auto size = static_cast<std::int64_t>(indices.size());
  std::int64_t held = std::min(buffer, size);
  std::vector<std::int64_t> waiting(indices.begin(), indices.begin() + held);
  std::vector<std::int64_t> order;
  order.reserve(indices.size());
  RandomStream draw(key);
  for (std::int64_t next = held; held > 0; ++next) {
    std::int64_t& taken = waiting[draw.below(held)];
    order.push_back(taken);
    taken = next < size ? indices[next] : waiting[--held];
  }
  return order;
}

}  // namespace

EpochOrder::EpochOrder(const std::vector<std::int64_t>& shards, std::int64_t buffer,
                       std::int64_t repeats, std::uint64_t seed, std::int64_t epoch)
    : m_indices(throughBuffer(
          inShardOrder(shards, streamKey({seed, kShardPurpose, std::uint64_t(epoch)})), buffer,
          streamKey({seed, kOrderPurpose, std::uint64_t(epoch)}))),
      m_repeats(repeats) {}

EpochOrder::EpochOrder(std::int64_t size, bool shuffle, std::int64_t repeats, std::uint64_t seed,
                       std::int64_t epoch)
    : m_indices(shuffle ? permutation(size, streamKey({seed, kOrderPurpose, std::uint64_t(epoch)}))
                        : inOrder(size)),
      m_repeats(repeats) {}

PlacedSample EpochOrder::at(std::int64_t place) const {
  return {m_indices[static_cast<std::size_t>(place / m_repeats)], place % m_repeats};
}

}  // namespace headlight
