// SPDX-License-Identifier: GPL-3.0-or-later

// What benches let a model learn from is what its task learns from.

#include "core/workbench/bench/DrawnBatch.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/base/Random.h"
#include "core/base/Result.h"
#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"
#include "core/training/step/StepRunner.h"
#include "tests/models/Shrunk.h"

namespace headlight {
namespace {

ModelConfig smallOfTask(Task task) {
  for (const PublishedModel& published : publishedModels())
    if (taskOf(published.config) == task) return shrunk(published.config);
  throw Failure({ErrorCode::NotFound, "no published model of this task", ""});
}

StepResult oneStep(const ModelConfig& config) {
  seedTorch(3);
  const auto model = makeModel(config, 3);
  model->train();
  return StepRunner(model, at::kCPU, TrainingConfig{}, 5, 3).run(drawnBatch(config, 2), 0);
}

TEST(DrawnBatch, OfADetectorHasBoxesInItsImages) {
  const ModelConfig config = smallOfTask(Task::Detect);
  const Batch batch = drawnBatch(config, 3);
  ASSERT_EQ(batch.boxes.size(), 3u);
  EXPECT_FALSE(batch.segments.defined());
  for (const LabeledBoxes& boxes : batch.boxes) {
    ASSERT_FALSE(boxes.empty());
    for (const LabeledBox& one : boxes) {
      EXPECT_GE(one.box.x, 0);
      EXPECT_GE(one.box.y, 0);
      EXPECT_GT(one.box.area(), 0);
      EXPECT_LE(one.box.x + one.box.width, config.imageWidthPixels());
      EXPECT_LE(one.box.y + one.box.height, config.imageHeightPixels());
      EXPECT_TRUE(one.label >= 0 && one.label < config.classes) << one.label;
    }
  }
  EXPECT_FALSE(batch.boxes[0] == batch.boxes[1]);
}

TEST(DrawnBatch, OfASegmenterHasAClassForEveryPixel) {
  const ModelConfig config = smallOfTask(Task::Segment);
  const Batch batch = drawnBatch(config, 2);
  EXPECT_TRUE(batch.boxes.empty());
  ASSERT_EQ(batch.segments.sizes(),
            (std::vector<std::int64_t>{2, config.imageHeightPixels(), config.imageWidthPixels()}));
  EXPECT_EQ(batch.segments.scalar_type(), at::kByte);
  EXPECT_LT(batch.segments.max().item<int>(), config.classes);
  EXPECT_GT(batch.segments.max().item<int>(), 0);
  EXPECT_FALSE(at::equal(batch.segments[0], batch.segments[1]));
}

TEST(DrawnBatch, EveryTaskLearnsByItsOwnLosses) {
  const StepResult boxes = oneStep(smallOfTask(Task::Detect));
  EXPECT_TRUE(boxes.classLoss && boxes.overlapLoss && boxes.sideLoss);
  EXPECT_GT(boxes.overlapLoss.value_or(0), 0);
  const StepResult segments = oneStep(smallOfTask(Task::Segment));
  EXPECT_TRUE(segments.classLoss && segments.maskLoss && segments.diceLoss);
  EXPECT_GT(segments.diceLoss.value_or(0), 0);
  const StepResult classes = oneStep(shrunk(findPublishedModel("deit_tiny")->config));
  EXPECT_FALSE(classes.classLoss || classes.overlapLoss || classes.diceLoss);
  EXPECT_GT(classes.loss, 0);
}

}  // namespace
}  // namespace headlight
