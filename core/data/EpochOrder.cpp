#include "core/data/EpochOrder.h"

#include <numeric>

#include "core/base/Random.h"

namespace headlight {
namespace {

constexpr std::uint64_t kOrderPurpose = 0x6f72646572ULL;  // "order"

std::vector<std::int64_t> inOrder(std::int64_t size) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(size));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

}  // namespace

EpochOrder::EpochOrder(std::int64_t size, bool shuffle, std::int64_t repeats, std::uint64_t seed,
                       std::int64_t epoch)
    : m_indices(shuffle ? permutation(size, streamKey({seed, kOrderPurpose, std::uint64_t(epoch)}))
                        : inOrder(size)),
      m_repeats(repeats) {}

PlacedSample EpochOrder::at(std::int64_t place) const {
  return {m_indices[static_cast<std::size_t>(place / m_repeats)], place % m_repeats};
}

}  // namespace headlight
