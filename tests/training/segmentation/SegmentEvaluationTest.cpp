// SPDX-License-Identifier: GPL-3.0-or-later

// What is measured of a segmenter: beside counts of the pixels by hand, whatever the batches.

#include "core/training/SegmentEvaluation.h"

#include <gtest/gtest.h>

#include "core/models/segmentation/PixelClasses.h"
#include "core/training/TrainingLoaders.h"
#include "tests/training/segmentation/SegmentDataset.h"

namespace headlight {
namespace {

SegmentEvaluationResult evaluated(TinySegmenter& model, std::int64_t batchSize,
                                  std::int64_t damaged = -1,
                                  const EvaluationOptions& options = {}) {
  SharedBatches batches(evaluationLoader(std::make_shared<SegmentDataset>(9, damaged),
                                         segmentDatasetView(), batchSize, 1));
  return valueOrThrow(evaluateSegments(model, batches, options));
}

/// By hand, image after image: pixels by [true class][found class].
std::array<std::array<double, kTinyClasses>, kTinyClasses> pixelCounts(TinySegmenter& model) {
  const at::NoGradGuard noGrad;
  std::array<std::array<double, kTinyClasses>, kTinyClasses> counts{};
  const SegmentDataset data(9);
  for (std::int64_t index = 0; index < data.size(); ++index) {
    const Sample sample = valueOrThrow(data.sample(index));
    std::vector<float> pixels = preprocess(sample.image, segmentDatasetView());
    const SegmentScores scores =
        model.forwardSegments(at::from_blob(pixels.data(), {1, 3, kTinySide, kTinySide}));
    const ClassImage found =
        pixelClasses(scores, 0, {32, 32, 32, 32, sample.segments.height, sample.segments.width});
    for (std::size_t i = 0; i < found.classes.size(); ++i)
      if (sample.segments.classes[i] != kIgnoredClass)
        ++counts[sample.segments.classes[i]][found.classes[i]];
  }
  return counts;
}

TEST(SegmentEvaluation, CountsEveryPixelWithATruth) {
  const auto model = tinySegmenter(at::kFloat);
  const auto counts = pixelCounts(*model);
  double right = 0, all = 0, overlaps = 0, accuracies = 0;
  for (std::size_t k = 0; k < kTinyClasses; ++k) {
    double truth = 0, predicted = 0;
    for (std::size_t other = 0; other < kTinyClasses; ++other) {
      truth += counts[k][other];
      predicted += counts[other][k];
    }
    ASSERT_GT(truth, 0);
    right += counts[k][k];
    all += truth;
    overlaps += counts[k][k] / (truth + predicted - counts[k][k]);
    accuracies += counts[k][k] / truth;
  }
  const SegmentEvaluationResult result = evaluated(*model, 4);
  EXPECT_EQ(result.images, 9);
  EXPECT_NEAR(result.measures.pacc, right / all, 1e-12);
  EXPECT_NEAR(result.measures.miou, overlaps / kTinyClasses, 1e-12);
  EXPECT_NEAR(result.measures.macc, accuracies / kTinyClasses, 1e-12);
  EXPECT_EQ(result.summary().quality(), result.measures.miou);
  EXPECT_STREQ(result.summary().qualityName(), "mIoU");
}

TEST(SegmentEvaluation, DoesNotDependOnTheBatches) {
  const auto model = tinySegmenter(at::kFloat);
  const SegmentEvaluationResult whole = evaluated(*model, 9);
  for (const std::int64_t size : {1, 4}) {
    const SegmentEvaluationResult found = evaluated(*model, size);
    EXPECT_EQ(found.measures.miou, whole.measures.miou);
    EXPECT_NEAR(found.loss, whole.loss, 1e-5 * whole.loss);
  }
  EXPECT_TRUE(model->is_training()) << "put back";
}

TEST(SegmentEvaluation, SkipsWhatCannotBeRead) {
  const auto model = tinySegmenter(at::kFloat);
  const SegmentEvaluationResult result = evaluated(*model, 4, 5);
  EXPECT_EQ(result.images, 8);
  EXPECT_EQ(result.skipped, 1);
}

/// Classes of the data may have other places in the model.
TEST(SegmentEvaluation, CountsByTheModelsClasses) {
  const auto model = tinySegmenter(at::kFloat);
  EvaluationOptions turned;
  turned.labelMap = {1, 2, 3, 0};
  const SegmentEvaluationResult straight = evaluated(*model, 4),
                                other = evaluated(*model, 4, -1, turned);
  EXPECT_NE(other.measures.miou, straight.measures.miou);
  turned.labelMap = {0, 1, 2, 3};
  EXPECT_EQ(evaluated(*model, 4, -1, turned).measures.miou, straight.measures.miou);
}

/// Images in proportion: the classes of their own pixels, found without the padding.
TEST(SegmentEvaluation, LeavesPaddingOut) {
  ModelConfig config = tinySegmenterConfig();
  config.cropMode = kPadMode;
  TinySegmenter model(config);
  Preprocessing view = segmentDatasetView();
  view.squash = false;
  view.pad = true;
  const at::NoGradGuard noGrad;
  double right = 0, all = 0;
  int padded = 0;
  const SegmentDataset data(9);
  for (std::int64_t index = 0; index < data.size(); ++index) {
    const Sample sample = valueOrThrow(data.sample(index));
    const int width = sample.image.width, height = sample.image.height;
    const double scale = 32.0 / std::min(width, height);
    const int shownWidth = int(width * scale + 0.5), shownHeight = int(height * scale + 0.5);
    const int wholeWidth = (shownWidth + 31) / 32 * 32, wholeHeight = (shownHeight + 31) / 32 * 32;
    padded += wholeWidth > shownWidth || wholeHeight > shownHeight;
    std::vector<float> pixels = preprocess(sample.image, view);
    const SegmentScores scores =
        model.forwardSegments(at::from_blob(pixels.data(), {1, 3, wholeHeight, wholeWidth}));
    const ClassImage found =
        pixelClasses(scores, 0, {wholeHeight, wholeWidth, shownHeight, shownWidth, height, width});
    for (std::size_t i = 0; i < found.classes.size(); ++i) {
      if (sample.segments.classes[i] == kIgnoredClass) continue;
      right += sample.segments.classes[i] == found.classes[i];
      ++all;
    }
  }
  EXPECT_GT(padded, 0);
  SharedBatches batches(evaluationLoader(std::make_shared<SegmentDataset>(9), view, 4, 1));
  const SegmentEvaluationResult result = valueOrThrow(evaluateSegments(model, batches, {}));
  EXPECT_EQ(result.images, 9);
  EXPECT_NEAR(result.measures.pacc, right / all, 1e-12);
}

/// Where images are not augmented, a batch of training still has one size.
TEST(SegmentEvaluation, TrainingHasBatchesThoughValidationKeepsProportions) {
  for (const bool augmented : {false, true}) {
    TrainerParts parts;
    parts.experiment.training.batchSize = 4;
    parts.experiment.data.augment = augmented;
    parts.experiment.data.randAugment.clear();
    parts.train = parts.validation = std::make_shared<SegmentDataset>(8);
    parts.preprocessing = segmentDatasetView();
    parts.preprocessing.squash = false;
    parts.preprocessing.pad = true;
    const auto loader = trainingLoader(parts);
    loader->startEpoch(0);
    const auto batch = valueOrThrow(loader->next());
    ASSERT_TRUE(batch.has_value());
    EXPECT_EQ(batch->images.sizes(), (at::IntArrayRef{4, 3, kTinySide, kTinySide}));
    EXPECT_EQ(batch->segments.sizes(), (at::IntArrayRef{4, kTinySide, kTinySide}));
    EXPECT_EQ(validationLoader(parts)->batchSize(), 1);
  }
}

}  // namespace
}  // namespace headlight
