// SPDX-License-Identifier: GPL-3.0-or-later

// The average precision of a detector over batches, beside image after image by hand.

#include "core/training/BoxEvaluation.h"

#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "core/models/detection/FoundInCells.h"
#include "tests/training/detection/BoxDataset.h"
#include "tests/training/detection/NaiveBoxes.h"
#include "tests/training/detection/TinyDetector.h"

namespace headlight {
namespace {

Result<BoxEvaluationResult> evaluated(TinyDetector& model, std::int64_t batchSize, int threads = 0,
                                      std::int64_t damaged = -1) {
  SharedBatches batches(evaluationLoader(std::make_shared<BoxDataset>(11, damaged),
                                         boxDatasetView(), batchSize, threads));
  return evaluateBoxes(model, batches, {});
}

LabeledBoxes inModelPixels(const Sample& sample) {
  LabeledBoxes boxes;
  const double x = 64.0 / sample.image.width, y = 64.0 / sample.image.height;
  for (LabeledBox box : sample.boxes) {
    if (box.crowd) continue;
    box.box = {box.box.x * x, box.box.y * y, box.box.width * x, box.box.height * y};
    boxes.push_back(box);
  }
  return boxes;
}

struct ByHand {
  AveragePrecision precision;
  double loss = 0;
};

ByHand measuredByHand(TinyDetector& model) {
  const at::NoGradGuard noGrad;
  std::vector<TrueBox> truth;
  std::vector<FoundBox> found;
  naive::Sums sums;
  const BoxDataset dataset(11);
  for (int image = 0; image < 11; ++image) {
    const Sample sample = valueOrThrow(dataset.sample(image));
    std::vector<float> pixels = preprocess(sample.image, boxDatasetView());
    const CellScores scores = model.forwardCells(at::from_blob(pixels.data(), {1, 3, 64, 64}));
    const naive::Cells cells = naive::cellsOf(scores, 0);
    const LabeledBoxes learned = inModelPixels(sample);
    sums.add(naive::sumsOf(cells, learned, naive::targetsOf(cells, learned)));
    for (const LabeledBox& box : sample.boxes)
      truth.push_back({1, image, box.label, box.box, box.area, box.crowd});
    const double x = sample.image.width / 64.0, y = sample.image.height / 64.0;
    const auto boxes = findBoxes(scores, 64, 64);
    for (const CellBox& box : boxes[0])
      found.push_back({image,
                       box.label,
                       {box.box.x * x, box.box.y * y, box.box.width * x, box.box.height * y},
                       box.score});
  }
  return {measurePrecision(truth, found, kDrawnClasses), sums.loss(sums.positives, sums.weights)};
}

TEST(BoxEvaluation, IsThatOfImageAfterImage) {
  TinyDetector model;
  const ByHand expected = measuredByHand(model);
  EXPECT_GT(expected.precision.all[1], 0);
  for (const std::int64_t batchSize : {1, 4, 11}) {
    const auto result = evaluated(model, batchSize, batchSize == 4 ? 2 : 0);
    ASSERT_TRUE(result.ok()) << result.error().text();
    EXPECT_EQ(result->images, 11);
    EXPECT_EQ(result->skipped, 0);
    EXPECT_NEAR(result->loss, expected.loss, 2e-6 * expected.loss);
    ASSERT_EQ(result->precision.classes.size(), static_cast<std::size_t>(kDrawnClasses));
    for (std::size_t i = 0; i < expected.precision.all.size(); ++i)
      EXPECT_NEAR(result->precision.all[i], expected.precision.all[i], 1e-12) << i;
  }
}

TEST(BoxEvaluation, LeavesTheModelAsItWas) {
  TinyDetector model(true);
  model.train();
  const at::Tensor before = model.norm->running_mean.clone();
  ASSERT_TRUE(evaluated(model, 4).ok());
  EXPECT_TRUE(model.is_training());
  EXPECT_TRUE(at::equal(model.norm->running_mean, before));
}

TEST(BoxEvaluation, CountsWhatCannotBeRead) {
  TinyDetector model;
  const auto result = evaluated(model, 4, 0, 5);
  ASSERT_TRUE(result.ok()) << result.error().text();
  EXPECT_EQ(result->images, 10);
  EXPECT_EQ(result->skipped, 1);
}

TEST(BoxEvaluation, StopsWhenTold) {
  TinyDetector model;
  SharedBatches batches(evaluationLoader(std::make_shared<BoxDataset>(4), boxDatasetView(), 2, 0));
  std::stop_source source;
  source.request_stop();
  const auto result = evaluateBoxes(model, batches, {}, {}, source.get_token());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::Canceled);
}

}  // namespace
}  // namespace headlight
