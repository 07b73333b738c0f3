// SPDX-License-Identifier: GPL-3.0-or-later

// What a detector or a segmenter cannot be trained with is refused, with its path and a way out.

#include "core/training/run/TaskChecks.h"

#include <gtest/gtest.h>

#include "core/base/Result.h"

namespace headlight {
namespace {

Experiment boxExperiment() {
  Experiment experiment;
  experiment.model.backbone = "detector";
  experiment.data.dataset = "boxes";
  experiment.training.labelSmoothing = 0;
  return experiment;
}

Error refusalOf(const Experiment& experiment, Task task = Task::Detect,
                Task ofData = Task::Detect) {
  const auto checked = guarded("", [&] { checkTraining(experiment, task, ofData); });
  return checked ? Error{ErrorCode::Internal, "not refused", ""} : checked.error();
}

TEST(TaskChecks, AcceptWhatFits) {
  EXPECT_NO_THROW(checkTraining(boxExperiment(), Task::Detect, Task::Detect));
  Experiment classifier = boxExperiment();
  classifier.training.mixupAlpha = 0.8;
  EXPECT_NO_THROW(checkTraining(classifier, Task::Classify, Task::Classify));
}

TEST(TaskChecks, NameTheBackboneAndTheDatasetThatDoNotFit) {
  const Task all[] = {Task::Classify, Task::Detect, Task::Segment};
  for (const Task task : all)
    for (const Task ofData : all) {
      if (task == ofData) continue;
      const Error error = refusalOf(boxExperiment(), task, ofData);
      EXPECT_EQ(error.code, ErrorCode::InvalidConfig);
      EXPECT_NE(error.message.find("the backbone detector"), std::string::npos) << error.message;
      EXPECT_NE(error.message.find("the dataset boxes"), std::string::npos) << error.message;
    }
}

TEST(TaskChecks, NameTheOptionThatDoesNotWorkWithBoxes) {
  const auto expectRefused = [](const char* path, auto change) {
    Experiment experiment = boxExperiment();
    change(experiment);
    for (const Task task : {Task::Detect, Task::Segment}) {
      const Error error = refusalOf(experiment, task, task);
      EXPECT_EQ(error.code, ErrorCode::InvalidConfig) << path;
      EXPECT_EQ(error.where, path) << error.message;
    }
  };
  expectRefused("training.mixup_alpha", [](Experiment& e) { e.training.mixupAlpha = 0.8; });
  expectRefused("training.cutmix_alpha", [](Experiment& e) { e.training.cutmixAlpha = 1; });
  expectRefused("training.distillation", [](Experiment& e) { e.training.distillation = "hard"; });
  expectRefused("data.repeats", [](Experiment& e) { e.data.repeats = 3; });
  expectRefused("data.rand_augment", [](Experiment& e) { e.data.randAugment = "rand-m9"; });
  expectRefused("data.erasing", [](Experiment& e) { e.data.erasing = 0.25; });
}

TEST(TaskChecks, AllowAugmentationOptionsThatAreOff) {
  Experiment experiment = boxExperiment();
  experiment.data.erasing = 0.25;
  experiment.data.augment = false;
  EXPECT_NO_THROW(checkTraining(experiment, Task::Detect, Task::Detect));
}

}  // namespace
}  // namespace headlight
