// SPDX-License-Identifier: GPL-3.0-or-later

// Batches: the same whatever the number of threads and wherever a run was resumed; damaged files
// are skipped and told; a vanished folder is an error; stopping stops.

#include "core/data/Loader.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "core/data/DrawnDatasets.h"
#include "tests/data/Epochs.h"
#include "tests/data/Support.h"

namespace headlight {
namespace {

using test::expectSame;
using test::MemoryDataset;
using test::restOfEpoch;

LoaderOptions options(std::int64_t batchSize, int threads, int side = 16) {
  LoaderOptions chosen;
  chosen.batchSize = batchSize;
  chosen.threads = threads;
  chosen.seed = 11;
  chosen.preprocessing.height = chosen.preprocessing.width = side;
  chosen.preprocessing.cropFraction = 1;
  return chosen;
}

TEST(Loader, GivesEverySampleOnceInBatchesOfTheRightShape) {
  const auto dataset = std::make_shared<MemoryDataset>(23, 20);
  auto chosen = options(5, 2);
  chosen.dropLast = false;
  Loader loader(dataset, chosen);
  EXPECT_EQ(loader.batchesPerEpoch(), 5);
  loader.startEpoch(0);
  const auto batches = restOfEpoch(loader);
  ASSERT_EQ(batches.size(), 5u);
  std::set<std::int64_t> seen;
  for (const Batch& batch : batches) {
    const auto count = static_cast<std::int64_t>(batch.indices.size());
    EXPECT_EQ(batch.images.sizes(), (at::IntArrayRef{count, 3, 16, 16}));
    EXPECT_EQ(batch.images.scalar_type(), at::kFloat);
    EXPECT_EQ(batch.labels.scalar_type(), at::kLong);
    for (std::int64_t i = 0; i < count; ++i) {
      EXPECT_TRUE(seen.insert(batch.indices[i]).second);
      EXPECT_EQ(batch.labels[i].item<std::int64_t>(), batch.indices[i] % 2);
    }
  }
  EXPECT_EQ(seen.size(), 23u);
  EXPECT_EQ(batches.back().indices.size(), 3u);
  EXPECT_FALSE(valueOrThrow(loader.next()).has_value()) << "still at the end";
}

TEST(Loader, DropsAnIncompleteLastBatchUnlessItIsTheOnlyOne) {
  Loader dropping(std::make_shared<MemoryDataset>(23, 16), options(5, 1));
  EXPECT_EQ(dropping.batchesPerEpoch(), 4);
  Loader small(std::make_shared<MemoryDataset>(3, 16), options(5, 1));
  EXPECT_EQ(small.batchesPerEpoch(), 1);
  for (const auto& [size, batches] : {std::pair{23, 4}, std::pair{25, 5}, std::pair{3, 1}})
    EXPECT_EQ(batchesPerEpoch(size, 5, kTrainingDropsLast), batches);
  small.startEpoch(0);
  EXPECT_EQ(restOfEpoch(small).at(0).indices.size(), 3u);
}

TEST(Loader, IsTheSameWithAnyNumberOfThreads) {
  const auto dataset = std::make_shared<MemoryDataset>(40, 24);
  const auto epochs = [&](int threads, int ahead) {
    auto chosen = options(4, threads);
    chosen.batchesAhead = ahead;
    chosen.augment.colorJitter = 0.2;
    Loader loader(dataset, chosen);
    std::vector<Batch> all;
    for (const std::int64_t epoch : {0, 1}) {
      loader.startEpoch(epoch);
      for (Batch& batch : restOfEpoch(loader))
        all.push_back(std::move(batch));
    }
    return all;
  };
  const auto alone = epochs(0, 1);
  ASSERT_EQ(alone.size(), 20u);
  expectSame(alone, epochs(1, 2));
  expectSame(alone, epochs(4, 1));
  expectSame(alone, epochs(3, 8));
}

TEST(Loader, ResumedMidEpochEqualsUninterrupted) {
  const auto dataset = std::make_shared<MemoryDataset>(40, 24);
  Loader whole(dataset, options(4, 2));
  whole.startEpoch(3);
  auto expected = restOfEpoch(whole);
  expected.erase(expected.begin(), expected.begin() + 6);
  Loader resumed(dataset, options(4, 1));
  resumed.startEpoch(3, 6);
  expectSame(expected, restOfEpoch(resumed));
  // The same loader, thrown back in the middle of an epoch with batches prepared ahead.
  whole.startEpoch(7);
  valueOrThrow(whole.next());
  whole.startEpoch(3, 6);
  expectSame(expected, restOfEpoch(whole));
  whole.startEpoch(3, 10);
  EXPECT_TRUE(restOfEpoch(whole).empty());
}

TEST(Loader, ShufflesAndAugmentsEveryEpochAnew) {
  const auto dataset = std::make_shared<MemoryDataset>(40, 24);
  Loader loader(dataset, options(40, 1));
  loader.startEpoch(0);
  const auto first = restOfEpoch(loader).at(0);
  loader.startEpoch(1);
  const auto second = restOfEpoch(loader).at(0);
  EXPECT_NE(first.indices, second.indices);
  const auto rowOf = [](const Batch& batch, std::int64_t index) {
    const auto position = std::find(batch.indices.begin(), batch.indices.end(), index);
    return batch.images[position - batch.indices.begin()];
  };
  EXPECT_FALSE(at::equal(rowOf(first, 5), rowOf(second, 5)));
}

TEST(Loader, WithoutShuffleAndAugmentationIsThePreprocessedDatasetInOrder) {
  const auto dataset = std::make_shared<MemoryDataset>(7, 24);
  auto chosen = options(3, 2);
  chosen.shuffle = chosen.augment.enabled = chosen.dropLast = false;
  Loader loader(dataset, chosen);
  loader.startEpoch(0);
  std::int64_t index = 0;
  for (const Batch& batch : restOfEpoch(loader))
    for (std::size_t i = 0; i < batch.indices.size(); ++i, ++index) {
      EXPECT_EQ(batch.indices[i], index);
      const auto expected =
          preprocess(valueOrThrow(dataset->sample(index)).image, chosen.preprocessing);
      const auto got = batch.images[static_cast<std::int64_t>(i)].contiguous();
      ASSERT_EQ(static_cast<std::size_t>(got.numel()), expected.size());
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), got.data_ptr<float>()));
    }
  EXPECT_EQ(index, 7);
}

TEST(Loader, SkipsCountsAndListsDamagedSamplesOnce) {
  const auto dataset = std::make_shared<MemoryDataset>(20, 16);
  dataset->fails = [](std::int64_t index) { return index < 5 || index == 13; };
  for (const int threads : {0, 3}) {
    auto chosen = options(4, threads);
    chosen.shuffle = false;
    Loader loader(dataset, chosen);
    for (const std::int64_t epoch : {0, 1}) {
      loader.startEpoch(epoch);
      const auto batches = restOfEpoch(loader);
      ASSERT_EQ(batches.size(), 4u) << "the first is empty and passed over";
      EXPECT_EQ(batches[0].indices, (std::vector<std::int64_t>{5, 6, 7}));
      EXPECT_EQ(batches[0].images.size(0), 3);
      EXPECT_EQ(batches[2].indices, (std::vector<std::int64_t>{12, 14, 15}));
    }
    const auto skipped = loader.skipped();
    ASSERT_EQ(skipped.size(), 6u);
    EXPECT_EQ(skipped[0].path, "memory #0");
    EXPECT_EQ(skipped[5].path, "memory #13");
    EXPECT_EQ(skipped[5].reason, "is damaged");
  }
}

TEST(Loader, AnEpochOfNothingButDamageIsAnError) {
  const auto dataset = std::make_shared<MemoryDataset>(12, 16);
  dataset->fails = [](std::int64_t) { return true; };
  Loader loader(dataset, options(4, 2));
  loader.startEpoch(0);
  const auto outcome = loader.next();
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, ErrorCode::Io);
  EXPECT_FALSE(loader.next().ok()) << "it stays an error";
  dataset->fails = nullptr;
  loader.startEpoch(1);
  EXPECT_EQ(restOfEpoch(loader).size(), 3u) << "and heals when the folder comes back";
}

TEST(Loader, AnUnluckyRestOfAnEpochIsNoError) {
  const auto dataset = std::make_shared<MemoryDataset>(12, 16);
  dataset->fails = [](std::int64_t index) { return index >= 8; };
  auto chosen = options(4, 0);
  chosen.shuffle = false;
  Loader loader(dataset, chosen);
  loader.startEpoch(0, 2);
  EXPECT_TRUE(restOfEpoch(loader).empty());
  loader.startEpoch(1);
  EXPECT_EQ(restOfEpoch(loader).size(), 2u);
}

TEST(Loader, AVanishedFolderIsAnErrorWithinOneBatch) {
  const test::TemporaryFolder folder;
  test::writeClasses(folder / "data", {"a", "b"}, 32);
  auto spec = test::specOf("image-folder", folder / "data");
  spec.validationFraction = 0;
  const std::shared_ptr<const Dataset> dataset = valueOrThrow(openDataset(spec, Split::Train));
  Loader loader(dataset, options(4, 1));
  loader.startEpoch(0);
  EXPECT_EQ(valueOrThrow(loader.next())->indices.size(), 4u);
  std::filesystem::rename(folder / "data", folder / "elsewhere");
  int good = 0;
  auto outcome = loader.next();
  while (outcome.ok() && outcome->has_value())
    ++good, outcome = loader.next();
  ASSERT_FALSE(outcome.ok());
  EXPECT_LE(good, 3) << "what was prepared ahead, no more";
  EXPECT_NE(outcome.error().text().find("data"), std::string::npos);
  EXPECT_EQ(outcome.error().code, ErrorCode::Io);
}

/// Takes long for every sample.
class SlowDataset : public MemoryDataset {
 public:
  using MemoryDataset::MemoryDataset;
  Result<Sample> sample(std::int64_t index) const override {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ++read;
    return MemoryDataset::sample(index);
  }
  mutable std::atomic<int> read{0};
};

TEST(Loader, StopsWhenAsked) {
  for (const int threads : {0, 2}) {
    Loader loader(std::make_shared<SlowDataset>(1000, 16), options(500, threads));
    loader.startEpoch(0);
    std::stop_source source;
    std::jthread stopper([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      source.request_stop();
    });
    const auto outcome = loader.next(source.get_token());
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().code, ErrorCode::Canceled);
  }  // 500 samples take 10 s; leaving joins at once
}

TEST(Loader, CanceledBatchIsGivenWholeAfterwards) {
  const auto dataset = std::make_shared<SlowDataset>(8, 16);
  Loader loader(dataset, options(4, 0));
  loader.startEpoch(0);
  std::stop_source source;
  source.request_stop();
  EXPECT_FALSE(loader.next(source.get_token()).ok());
  EXPECT_EQ(restOfEpoch(loader).size(), 2u);
}

TEST(Loader, PreparesNoFurtherAheadThanAllowed) {
  const auto dataset = std::make_shared<SlowDataset>(100, 16);
  auto chosen = options(1, 2);
  chosen.batchesAhead = 3;
  Loader loader(dataset, chosen);
  loader.startEpoch(0);
  valueOrThrow(loader.next());
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  EXPECT_EQ(dataset->read, 1 + 3);
}

TEST(Loader, RefusesNothingToLoadAndMisuse) {
  EXPECT_THROW(Loader(nullptr, options(4, 0)), Failure);
  EXPECT_THROW(Loader(std::make_shared<MemoryDataset>(0, 16), options(4, 0)), Failure);
  EXPECT_THROW(Loader(std::make_shared<MemoryDataset>(4, 16), options(0, 0)), Failure);
  Loader loader(std::make_shared<MemoryDataset>(4, 16), options(4, 1));
  EXPECT_FALSE(loader.next().ok()) << "before startEpoch";
}

TEST(Loader, SurvivesAnExceptionInTheDataset) {
  class Throwing : public MemoryDataset {
   public:
    using MemoryDataset::MemoryDataset;
    Result<Sample> sample(std::int64_t) const override { throw std::bad_alloc(); }
  };
  for (const int threads : {0, 2}) {
    Loader loader(std::make_shared<Throwing>(8, 16), options(4, threads));
    loader.startEpoch(0);
    const auto outcome = loader.next();
    ASSERT_FALSE(outcome.ok());
    EXPECT_NE(outcome.error().text().find("memory"), std::string::npos);
  }
}

}  // namespace
}  // namespace headlight
