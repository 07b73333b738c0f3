// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which sample, and which version of it, stands at each place of an epoch.

#include <cstdint>
#include <vector>

namespace headlight {

struct PlacedSample {
  std::int64_t index = 0;  ///< of the dataset
  std::int64_t copy = 0;   ///< 0 to repeats − 1; each is augmented differently
};

/// A function of (seed, epoch). With `repeats` above 1 it is DeiT's repeated augmentation (Hoffer
/// et al. 2020; Touvron et al. 2021): an epoch has as many places as the dataset has samples, but
/// of every sample that comes up `repeats` versions, one after another, so that processes that
/// take turns each get another one. DeiT also rounds the epoch down to a multiple of 256, which is
/// not done here: small datasets would be left with nothing.
class EpochOrder {
 public:
  /// Without `shuffle`: in the dataset's order. `repeats` is at least 1.
  EpochOrder(std::int64_t size, bool shuffle, std::int64_t repeats, std::uint64_t seed,
             std::int64_t epoch);
  /// For samples that lie in shards of these lengths, one shard after another: the shards in a
  /// drawn order, and of the samples as they come always one of the next `buffer` (WebDataset's
  /// shuffle).
  /// So they are read nearly in sequence. `buffer` is at least 1, which leaves their order.
  EpochOrder(const std::vector<std::int64_t>& shards, std::int64_t buffer, std::int64_t repeats,
             std::uint64_t seed, std::int64_t epoch);
  std::int64_t size() const { return static_cast<std::int64_t>(m_indices.size()); }
  PlacedSample at(std::int64_t place) const;

 private:
  std::vector<std::int64_t> m_indices;
  std::int64_t m_repeats;
};

}  // namespace headlight
