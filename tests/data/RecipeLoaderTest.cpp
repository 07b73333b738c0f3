// SPDX-License-Identifier: GPL-3.0-or-later

// The loader with everything of DeiT's recipe on: the same with any number of threads, where it is
// resumed, and nothing of it where augmentation is off.

#include <gtest/gtest.h>

#include <map>

#include "core/data/Loader.h"
#include "tests/data/Epochs.h"
#include "tests/data/Support.h"

namespace headlight {
namespace {

using test::expectSame;
using test::MemoryDataset;
using test::restOfEpoch;

LoaderOptions deitOptions(int threads) {
  LoaderOptions options;
  options.batchSize = 4;
  options.threads = threads;
  options.seed = 11;
  options.repeats = 3;
  options.preprocessing.height = options.preprocessing.width = 20;
  options.augment.randAugment = valueOrThrow(randAugmentFromText("rand-m9-mstd0.5-inc1"));
  options.augment.randomInterpolation = true;
  options.erasing.probability = 0.25;
  return options;
}

std::vector<Batch> epochWith(const LoaderOptions& options, std::int64_t firstBatch = 0) {
  Loader loader(std::make_shared<MemoryDataset>(40, 24), options);
  loader.startEpoch(1, firstBatch);
  return restOfEpoch(loader);
}

TEST(RecipeLoader, IsTheSameWithAnyNumberOfThreads) {
  const auto alone = epochWith(deitOptions(0));
  ASSERT_EQ(alone.size(), 10u);
  expectSame(alone, epochWith(deitOptions(1)));
  expectSame(alone, epochWith(deitOptions(4)));
}

TEST(RecipeLoader, ResumedMidEpochEqualsUninterrupted) {
  auto expected = epochWith(deitOptions(2));
  expected.erase(expected.begin(), expected.begin() + 7);
  expectSame(expected, epochWith(deitOptions(1), 7));
}

TEST(RecipeLoader, AnEpochOfRepeatsIsAsLongAndEveryVersionIsDifferent) {
  auto options = deitOptions(1);
  options.erasing.probability = 1;  // so that no two versions are the same by chance
  std::map<std::int64_t, std::vector<at::Tensor>> versions;
  std::vector<std::int64_t> order;
  for (const Batch& batch : epochWith(options))
    for (std::size_t i = 0; i < batch.indices.size(); ++i) {
      order.push_back(batch.indices[i]);
      versions[batch.indices[i]].push_back(batch.images[static_cast<std::int64_t>(i)]);
    }
  ASSERT_EQ(order.size(), 40u);
  EXPECT_EQ(versions.size(), 14u);  // 40 / 3, the last once
  for (std::size_t place = 0; place < order.size(); ++place)
    EXPECT_EQ(order[place], order[place / 3 * 3]);
  for (const auto& [index, images] : versions)
    for (std::size_t i = 1; i < images.size(); ++i)
      EXPECT_FALSE(at::equal(images[i], images[i - 1])) << index;
}

TEST(RecipeLoader, EachPartChangesOnlyItself) {
  auto plain = deitOptions(1);
  plain.repeats = 1;
  plain.augment.randAugment.reset();
  plain.augment.randomInterpolation = false;
  plain.erasing.probability = 0;
  const auto before = epochWith(plain);
  auto erased = plain;
  erased.erasing.probability = 1;
  const auto after = epochWith(erased);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i].indices, before[i].indices);
    const double same = after[i].images.eq(before[i].images).to(at::kFloat).mean().item<double>();
    EXPECT_GT(same, 0.6) << "but for what was erased it is the same image";
    EXPECT_LT(same, 1);
  }
}

TEST(RecipeLoader, WithoutAugmentationThereIsNoneOfIt) {
  auto options = deitOptions(1);
  options.erasing.probability = 1;
  options.repeats = 1;
  options.augment.enabled = false;
  LoaderOptions plain = options;
  plain.augment = {};
  plain.augment.enabled = false;
  plain.erasing = {};
  expectSame(epochWith(options), epochWith(plain));
}

TEST(RecipeLoader, RefusesFewerRepeatsThanOne) {
  auto options = deitOptions(0);
  options.repeats = 0;
  EXPECT_THROW(epochWith(options), Failure);
}

}  // namespace
}  // namespace headlight
