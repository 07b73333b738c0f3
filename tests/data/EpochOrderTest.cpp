// SPDX-License-Identifier: GPL-3.0-or-later

// Repeated augmentation: an epoch of the same length, of fewer samples in several versions.

#include "core/data/EpochOrder.h"

#include <gtest/gtest.h>

#include <map>

#include "core/base/Random.h"
#include "core/data/TrainingView.h"

namespace headlight {
namespace {

TEST(EpochOrder, WithoutRepeatsEverySampleOnce) {
  const EpochOrder order(20, true, 1, 5, 2);
  std::map<std::int64_t, int> seen;
  for (std::int64_t place = 0; place < order.size(); ++place) {
    EXPECT_EQ(order.at(place).copy, 0);
    ++seen[order.at(place).index];
  }
  EXPECT_EQ(seen.size(), 20u);
  const EpochOrder plain(20, false, 1, 5, 2);
  for (std::int64_t place = 0; place < 20; ++place)
    EXPECT_EQ(plain.at(place).index, place);
}

TEST(EpochOrder, CopiesAreNeighborsAndTheLengthStays) {
  for (const std::int64_t size : {20, 21, 2}) {
    const EpochOrder once(size, true, 1, 5, 2), order(size, true, 3, 5, 2);
    ASSERT_EQ(order.size(), size);
    for (std::int64_t place = 0; place < size; ++place) {
      EXPECT_EQ(order.at(place).index, once.at(place / 3).index);
      EXPECT_EQ(order.at(place).copy, place % 3);
    }
  }
}

TEST(EpochOrder, CopiesHaveKeysOfTheirOwnAndTheFirstIsThatOfBefore) {
  const auto before = streamKey({9, 0x6175676dULL, 4, 17});
  EXPECT_EQ(augmentKey(9, 4, {17, 0}), before);
  EXPECT_NE(augmentKey(9, 4, {17, 1}), before);
  EXPECT_NE(augmentKey(9, 4, {17, 1}), augmentKey(9, 4, {17, 2}));
  EXPECT_NE(augmentKey(9, 5, {17, 1}), augmentKey(9, 4, {17, 1}));
}

}  // namespace
}  // namespace headlight
