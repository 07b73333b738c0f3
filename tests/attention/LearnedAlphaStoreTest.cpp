// SPDX-License-Identifier: GPL-3.0-or-later

// What a head's α learned outlives the edits of its mask.

#include "core/attention/base/LearnedAlphaStore.h"

#include <gtest/gtest.h>

#include <cmath>

namespace headlight::learned_alpha_store_test {

HeadMask soft(const std::string& text) {
  return *headMaskFromText("soft:3@" + text);
}

double logitOf(double alpha) {
  return std::log(alpha / (1 - alpha));
}

TEST(LearnedAlphaStore, FromTheSameStartItGoesOn) {
  LearnedAlphaStore memory(2);
  EXPECT_EQ(memory.use(1, soft("0.2"), 0), logitOf(0.2));
  EXPECT_TRUE(memory.isUsing(1, soft("0.2")));
  EXPECT_FALSE(memory.isUsing(0, soft("0.2")));
  EXPECT_EQ(memory.use(1, soft("0.2"), -3), -3);
  HeadMask wider = soft("0.2");
  wider.window = 7;
  EXPECT_EQ(memory.use(1, wider, -3), -3);
}

TEST(LearnedAlphaStore, EveryStartHasItsOwn) {
  LearnedAlphaStore memory(1);
  memory.use(0, soft("0.5"), 0);
  EXPECT_EQ(memory.use(0, soft("0.7"), 1.25), logitOf(0.7));
  EXPECT_EQ(memory.use(0, soft("0.5"), 2.5), 1.25);
  EXPECT_EQ(memory.use(0, soft("0.7"), 1.5), 2.5);
  EXPECT_EQ(memory.use(0, soft("0.9"), 4), logitOf(0.9));
  EXPECT_EQ(memory.use(0, soft("0.5"), 5), 1.5);
}

TEST(LearnedAlphaStore, AResetBeginsAnewAndCanBeTakenBack) {
  LearnedAlphaStore memory(1);
  memory.use(0, soft("0.5"), 0);
  EXPECT_EQ(memory.use(0, soft("0.5~1"), 1.25), 0);
  EXPECT_EQ(memory.use(0, soft("0.5"), 2.5), 1.25);
  EXPECT_EQ(memory.use(0, soft("0.5~1"), 1.25), 0) << "reset again";
}

TEST(LearnedAlphaStore, ACountThatNobodyKeptCountsAsTheSame) {
  LearnedAlphaStore memory(1);
  memory.setEntries({{0, 0, soft("0.5~2"), std::nullopt}});
  EXPECT_EQ(memory.use(0, soft("0.5"), 1.25), 1.25);
}

TEST(LearnedAlphaStore, EntriesSayAllOfIt) {
  LearnedAlphaStore memory(3);
  memory.use(0, soft("0.5"), 0);
  memory.use(2, soft("0.5"), 0);
  memory.use(2, soft("0.7~1"), 1.25);
  memory.use(2, soft("0.8~1"), 1.5);
  LearnedAlphaStore copy(3);
  copy.setEntries(memory.entries());
  EXPECT_EQ(copy.entries().size(), 4u);
  EXPECT_TRUE(copy.isUsing(0, soft("0.5")));
  EXPECT_TRUE(copy.isUsing(2, soft("0.8~1")));
  EXPECT_EQ(copy.use(2, soft("0.7~1"), 0), 1.5);
  EXPECT_EQ(copy.use(2, soft("0.5"), 0), 1.25);
}

TEST(LearnedAlphaStore, KeepsTheNewestOfMany) {
  LearnedAlphaStore memory(1);
  for (int i = 1; i <= 200; ++i)
    memory.use(0, soft(std::to_string(i / 256.0)), i);
  EXPECT_EQ(memory.entries().size(), 1 + LearnedAlphaStore::kMaxAside);
  EXPECT_EQ(memory.use(0, soft(std::to_string(199 / 256.0)), 0), 200);
  memory.setEntries({{0, 7, soft("0.5"), std::nullopt}});  // of a head that does not exist
  EXPECT_TRUE(memory.entries().empty());
}

}  // namespace headlight::learned_alpha_store_test
