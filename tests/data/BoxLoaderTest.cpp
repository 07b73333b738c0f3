// SPDX-License-Identifier: GPL-3.0-or-later

// Batches of data with boxes.

#include <gtest/gtest.h>

#include <set>

#include "core/data/Subset.h"
#include "core/data/boxes/BatchSide.h"
#include "core/data/boxes/BoxGeometry.h"
#include "tests/data/BoxSupport.h"
#include "tests/data/Epochs.h"

namespace headlight {
namespace {

using test::RectangleDataset;
using test::restOfEpoch;

LoaderOptions boxOptions(bool augmented, int side = 96) {
  LoaderOptions options;
  options.batchSize = 4;
  options.seed = 5;
  options.shuffle = augmented;
  options.augment.enabled = augmented;
  options.preprocessing.width = options.preprocessing.height = side;
  options.preprocessing.cropFraction = 1;
  options.preprocessing.squash = true;
  options.preprocessing.mean = {0, 0, 0};
  options.preprocessing.deviation = {1, 1, 1};
  return options;
}

std::vector<Batch> epochOf(LoaderOptions options, int threads = 0, std::int64_t epoch = 0) {
  options.threads = threads;
  Loader loader(std::make_shared<RectangleDataset>(16), options);
  loader.startEpoch(epoch);
  return restOfEpoch(loader);
}

/// A row of a batch as an image again.
BoxedImage rowOf(const Batch& batch, std::int64_t row) {
  const at::Tensor bytes =
      (batch.images[row].permute({1, 2, 0}) * 255).round().to(at::kByte).contiguous();
  const auto* begin = bytes.data_ptr<std::uint8_t>();
  return {{static_cast<int>(bytes.size(1)), static_cast<int>(bytes.size(0)),
           std::make_shared<const std::vector<std::uint8_t>>(begin, begin + bytes.numel())},
          batch.boxes.at(static_cast<std::size_t>(row))};
}

TEST(BoxLoader, TrainingBoxesLieOnTheObjectsOfTheirRows) {
  std::size_t boxes = 0;
  for (const Batch& batch : epochOf(boxOptions(true))) {
    ASSERT_EQ(std::ssize(batch.boxes), batch.images.size(0));
    EXPECT_TRUE(batch.truth.empty());
    for (std::int64_t row = 0; row < batch.images.size(0); ++row) {
      test::expectShown(rowOf(batch, row));
      boxes += batch.boxes[static_cast<std::size_t>(row)].size();
      for (const LabeledBox& box : batch.boxes[static_cast<std::size_t>(row)])
        EXPECT_FALSE(box.crowd);
    }
    EXPECT_EQ(batch.labels.abs().sum().item<std::int64_t>(), 0);
  }
  EXPECT_GE(boxes, 16u);
}

TEST(BoxLoader, ValidationHasTheWholeTruthBesideTheMovedBoxes) {
  const RectangleDataset dataset(16);
  std::int64_t index = 0;
  for (const Batch& batch : epochOf(boxOptions(false))) {
    ASSERT_EQ(std::ssize(batch.truth), batch.images.size(0));
    for (std::int64_t row = 0; row < batch.images.size(0); ++row, ++index) {
      const ImageTruth& truth = batch.truth[static_cast<std::size_t>(row)];
      EXPECT_EQ(truth.width, 60);
      EXPECT_EQ(truth.height, 44);
      EXPECT_EQ(truth.boxes, dataset.boxes(index)) << "crowds, too";
      EXPECT_EQ(batch.boxes[static_cast<std::size_t>(row)],
                boxesInView(learnableBoxes(truth.boxes), {0, 0, 60, 44}, 96, 96));
      test::expectShown(rowOf(batch, row));
    }
  }
  EXPECT_EQ(index, 16);
}

TEST(BoxLoader, ThreadsAndResumingChangeNothing) {
  LoaderOptions options = boxOptions(true, 160);
  options.augment.multiScale = true;
  options.augment.colorJitter = 0.5;
  const auto alone = epochOf(options), threaded = epochOf(options, 3);
  test::expectSame(alone, threaded);
  for (std::size_t i = 0; i < alone.size(); ++i)
    EXPECT_EQ(alone[i].boxes, threaded[i].boxes);
  Loader loader(std::make_shared<RectangleDataset>(16), options);
  loader.startEpoch(0, 2);
  const auto rest = restOfEpoch(loader);
  ASSERT_EQ(rest.size(), 2u);
  EXPECT_EQ(rest[0].boxes, alone[2].boxes);
  EXPECT_TRUE(at::equal(rest[0].images, alone[2].images));
}

TEST(BoxLoader, EachBatchHasASideOfItsOwn) {
  LoaderOptions options = boxOptions(true, 160);
  options.augment.multiScale = true;
  std::set<std::int64_t> sides;
  for (std::int64_t epoch = 0; epoch < 6; ++epoch)
    for (const Batch& batch : epochOf(options, 0, epoch)) {
      EXPECT_EQ(batch.images.size(2), batch.images.size(3));
      sides.insert(batch.images.size(2));
      for (std::int64_t row = 0; row < batch.images.size(0); ++row)
        test::expectShown(rowOf(batch, row));
    }
  EXPECT_EQ(sides, (std::set<std::int64_t>{128, 160, 192}));
  options.augment.enabled = false;
  for (const Batch& batch : epochOf(options))
    EXPECT_EQ(batch.images.size(2), 160) << "only in training";
}

/// Several processes: every part of a batch has the same side.
TEST(BoxLoader, PartsAreThoseOfTheWhole) {
  LoaderOptions options = boxOptions(true, 160);
  options.augment.multiScale = true;
  const auto whole = epochOf(options);
  options.parts = 2;
  for (options.part = 0; options.part < 2; ++options.part) {
    const auto part = epochOf(options);
    for (std::size_t i = 0; i < part.size(); ++i)
      for (std::size_t row = 0; row < part[i].rows.size(); ++row)
        EXPECT_EQ(part[i].boxes[row], whole[i].boxes[static_cast<std::size_t>(part[i].rows[row])]);
  }
}

TEST(BoxLoader, RandAugmentIsRefused) {
  LoaderOptions options = boxOptions(true);
  options.augment.randAugment = RandAugmentSpec{};
  const auto made = guarded("", [&] { epochOf(options); });
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().where, "data.rand_augment");
}

TEST(BoxLoader, DatasetsWithAClassHaveNoBoxes) {
  Loader loader(std::make_shared<test::MemoryDataset>(4, 96), boxOptions(true));
  loader.startEpoch(0);
  for (const Batch& batch : restOfEpoch(loader)) {
    EXPECT_TRUE(batch.boxes.empty());
    EXPECT_TRUE(batch.truth.empty());
  }
}

}  // namespace
}  // namespace headlight
