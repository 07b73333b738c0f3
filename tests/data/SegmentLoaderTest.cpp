// SPDX-License-Identifier: GPL-3.0-or-later

// Batches of data with a class for every pixel.

#include <gtest/gtest.h>

#include "tests/data/Epochs.h"
#include "tests/data/SegmentSupport.h"

namespace headlight {
namespace {

using test::restOfEpoch;

class GridDataset : public Dataset {
 public:
  std::int64_t size() const override { return 8; }
  const std::vector<std::string>& classNames() const override { return m_names; }
  bool hasSegments() const override { return true; }
  Result<Sample> sample(std::int64_t index) const override {
    SegmentedImage grid = grids(index);
    return Sample{std::move(grid.image), 0, {}, std::move(grid.segments)};
  }
  std::string describe(std::int64_t index) const override {
    return "grid #" + std::to_string(index);
  }
  static SegmentedImage grids(std::int64_t index) {
    return test::segmentedGrid(60 + static_cast<int>(index), 44, 11);
  }

 private:
  std::vector<std::string> m_names{"a", "b", "c", "d"};
};

LoaderOptions segmentOptions(bool augmented) {
  LoaderOptions options;
  options.batchSize = 4;
  options.seed = 5;
  options.shuffle = augmented;
  options.augment.enabled = augmented;
  options.preprocessing.width = options.preprocessing.height = 48;
  options.preprocessing.cropFraction = 1;
  options.preprocessing.squash = true;
  options.preprocessing.interpolation = Interpolation::Bilinear;
  options.preprocessing.mean = {0, 0, 0};
  options.preprocessing.deviation = {1, 1, 1};
  return options;
}

std::vector<Batch> segmentEpoch(LoaderOptions options, int threads = 0) {
  options.threads = threads;
  Loader loader(std::make_shared<GridDataset>(), options);
  loader.startEpoch(0);
  return restOfEpoch(loader);
}

/// Pixels that show a class show the one that the batch says.
void expectClassesShown(const Batch& batch) {
  ASSERT_TRUE(batch.segments.defined());
  ASSERT_EQ(batch.segments.scalar_type(), at::kByte);
  ASSERT_EQ(batch.segments.sizes(), (at::IntArrayRef{batch.images.size(0), 48, 48}));
  const at::Tensor bytes = (batch.images * 255).round().to(at::kByte).permute({0, 2, 3, 1});
  int same = 0;
  for (std::int64_t row = 0; row < bytes.size(0); ++row) {
    const at::Tensor pixels = bytes[row].contiguous();
    const auto* begin = pixels.data_ptr<std::uint8_t>();
    const Image image{
        48, 48, std::make_shared<const std::vector<std::uint8_t>>(begin, begin + 48 * 48 * 3)};
    const auto* classes = batch.segments[row].data_ptr<std::uint8_t>();
    for (int y = 0; y < 48; ++y)
      for (int x = 0; x < 48; ++x)
        if (const int shown = test::shownClass(image, x, y); shown >= 0) {
          EXPECT_EQ(shown, classes[48 * y + x]);
          ++same;
        }
  }
  EXPECT_GT(same, 48 * 48);
}

TEST(SegmentLoader, TrainingClassesLieOnThePixelsOfTheirRows) {
  const auto batches = segmentEpoch(segmentOptions(true));
  ASSERT_EQ(batches.size(), 2u);
  for (const Batch& batch : batches) {
    expectClassesShown(batch);
    EXPECT_TRUE(batch.truth.empty());
    EXPECT_TRUE(batch.boxes.empty());
    EXPECT_EQ(batch.labels.abs().sum().item<std::int64_t>(), 0);
  }
}

TEST(SegmentLoader, ValidationHasTheOriginalClassesToo) {
  std::int64_t index = 0;
  for (const Batch& batch : segmentEpoch(segmentOptions(false))) {
    expectClassesShown(batch);
    ASSERT_EQ(std::ssize(batch.truth), batch.images.size(0));
    for (const ImageTruth& truth : batch.truth) {
      const SegmentedImage grid = GridDataset::grids(index++);
      EXPECT_EQ(truth.width, grid.image.width);
      EXPECT_EQ(truth.height, grid.image.height);
      EXPECT_EQ(truth.segments.classes, grid.segments.classes);
    }
  }
  EXPECT_EQ(index, 8);
}

TEST(SegmentLoader, ThreadsChangeNothingAndPartsAreThoseOfTheWhole) {
  LoaderOptions options = segmentOptions(true);
  options.augment.colorJitter = 0.5;
  const auto whole = segmentEpoch(options), threaded = segmentEpoch(options, 3);
  test::expectSame(whole, threaded);
  for (std::size_t i = 0; i < whole.size(); ++i)
    EXPECT_TRUE(at::equal(whole[i].segments, threaded[i].segments));
  options.parts = 2;
  for (options.part = 0; options.part < 2; ++options.part) {
    const auto part = segmentEpoch(options);
    for (std::size_t i = 0; i < part.size(); ++i)
      for (std::size_t row = 0; row < part[i].rows.size(); ++row)
        EXPECT_TRUE(
            at::equal(part[i].segments[std::int64_t(row)], whole[i].segments[part[i].rows[row]]));
  }
}

TEST(SegmentLoader, RandAugmentIsRefused) {
  LoaderOptions options = segmentOptions(true);
  options.augment.randAugment = RandAugmentSpec{};
  const auto made = guarded("", [&] { segmentEpoch(options); });
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().where, "data.rand_augment");
}

TEST(SegmentLoader, DatasetsWithAClassHaveNoSegments) {
  Loader loader(std::make_shared<test::MemoryDataset>(4, 48), segmentOptions(true));
  loader.startEpoch(0);
  for (const Batch& batch : restOfEpoch(loader))
    EXPECT_FALSE(batch.segments.defined());
}

TEST(SegmentLoader, ValidationInProportionIsOneImageAtATime) {
  LoaderOptions options = segmentOptions(false);
  options.preprocessing.squash = false;
  options.preprocessing.pad = true;
  EXPECT_FALSE(guarded("", [&] { Loader(std::make_shared<GridDataset>(), options); }).ok());
  options.batchSize = 1;
  const auto batches = segmentEpoch(options, 2);
  ASSERT_EQ(batches.size(), 8u);
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const SegmentedImage view = evaluationSegmented(
        GridDataset::grids(static_cast<std::int64_t>(i)), options.preprocessing);
    ASSERT_EQ(batches[i].images.sizes(),
              (at::IntArrayRef{1, 3, view.image.height, view.image.width}));
    ASSERT_EQ(batches[i].segments.sizes(),
              (at::IntArrayRef{1, view.image.height, view.image.width}));
    EXPECT_TRUE(std::equal(view.segments.classes.begin(), view.segments.classes.end(),
                           batches[i].segments.data_ptr<std::uint8_t>()));
  }
}

}  // namespace
}  // namespace headlight
