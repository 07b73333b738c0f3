// SPDX-License-Identifier: GPL-3.0-or-later

// Scaling of losses for float16: how the factor finds itself, that it changes no number, and that
// skipped steps leave no trace. On the CPU, which has no float16, scaling is all that is on.

#include "core/training/step/LossScale.h"

#include <gtest/gtest.h>

#include <ATen/Functions.h>

#include <cmath>
#include <limits>

#include "core/data/Dataset.h"
#include "core/training/Trainer.h"
#include "core/training/logs/RunHistory.h"
#include "core/workbench/session/Images.h"
#include "tests/training/EventReader.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

TEST(LossScale, HalvesDoublesAndKeepsWithinItsBounds) {
  LossScale scale(true);
  EXPECT_EQ(scale.factor(), 65536);
  EXPECT_FALSE(scale.takesStep(false));
  EXPECT_EQ(scale.factor(), 32768);
  for (int i = 0; i < LossScale::kGrowsAfter - 1; ++i)
    EXPECT_TRUE(scale.takesStep(true));
  EXPECT_EQ(scale.factor(), 32768);
  EXPECT_TRUE(scale.takesStep(true));
  EXPECT_EQ(scale.factor(), 65536);
  EXPECT_EQ(scale.state().goodSteps, 0);
  for (int i = 0; i < 20 * LossScale::kGrowsAfter; ++i)
    scale.takesStep(true);
  EXPECT_EQ(scale.factor(), LossScale::kGreatest);
  int skipped = 0;
  while (!scale.takesStep(false))
    ++skipped;
  EXPECT_EQ(skipped, 24);
  EXPECT_EQ(scale.factor(), LossScale::kLeast);
  EXPECT_EQ(scale.state().skipped, 25);
}

TEST(LossScale, GoesOnFromItsState) {
  LossScale whole(true), first(true);
  for (int i = 0; i < 1500; ++i) {
    whole.takesStep(i != 300);
    first.takesStep(i != 300);
  }
  LossScale second(true);
  second.load(first.state());
  for (int i = 0; i < 1500; ++i) {
    EXPECT_EQ(whole.takesStep(true), second.takesStep(true));
    ASSERT_EQ(whole.factor(), second.factor()) << i;
  }
  EXPECT_EQ(whole.factor(), 65536) << "it grew in between";
}

TEST(LossScale, OffItIsOneAndSkipsNothing) {
  LossScale scale(false);
  EXPECT_TRUE(scale.takesStep(false));
  EXPECT_EQ(scale.factor(), 1);
  EXPECT_EQ(scale.state().skipped, 0);
}

// --- In a step -----------------------------------------------------------------------------------

std::shared_ptr<Model> tinyScaledModel() {
  const Experiment experiment = tinyExperiment();
  auto model = makeModel(experiment.model, 3);
  model->setMasks(valueOrThrow(resolveMasks(experiment.masks, model->masks().shape())));
  model->train();
  return model;
}

TrainingConfig scaledTraining(const std::string& precision) {
  TrainingConfig config = tinyExperiment().training;
  config.precision = precision;
  config.accumulate = 2;
  config.mixupAlpha = 0.8;
  return config;
}

Batch noisyBatch() {
  Batch batch;
  seedTorch(5);
  batch.images = at::randn({4, 3, 16, 16});
  batch.labels = at::tensor({0, 1, 2, 3}, at::kLong);
  return batch;
}

std::vector<at::Tensor> weightsOfModel(const Model& model) {
  std::vector<at::Tensor> copies;
  for (const auto& item : model.trainable())
    copies.push_back(item.second.detach().clone());
  return copies;
}

void expectSameWeights(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_TRUE(at::equal(a[i], b[i])) << i;
}

/// A power of two rounds nothing: not the losses, not the norm, not the step.
TEST(LossScale, ChangesNoNumberOfAStep) {
  const auto trained = [](const std::string& precision) {
    const auto model = tinyScaledModel();
    StepRunner runner(model, at::kCPU, scaledTraining(precision), 1, 5);
    std::vector<double> reported;
    for (std::int64_t step = 0; step < 4; ++step) {
      const StepResult result = runner.run(noisyBatch(), step);
      reported.insert(reported.end(), {result.loss, result.gradientNorm});
    }
    EXPECT_EQ(runner.lossScale().on(), precision == "float16");
    return std::pair(weightsOfModel(*model), reported);
  };
  const auto [plain, plainReported] = trained("float32");
  const auto [scaled, scaledReported] = trained("float16");
  expectSameWeights(plain, scaled);
  EXPECT_EQ(plainReported, scaledReported);
}

/// Makes the gradient of one parameter infinite while `bad`.
void spoilGradient(Model& model, const bool& bad) {
  model.trainable().back().second.register_hook([&bad](const at::Tensor& gradient) {
    return bad ? gradient * std::numeric_limits<float>::infinity() : gradient;
  });
}

TEST(LossScale, ASkippedStepLeavesNoTrace) {
  const auto trained = [](bool spoiled) {
    const auto model = tinyScaledModel();
    bool bad = spoiled;
    spoilGradient(*model, bad);
    StepRunner runner(model, at::kCPU, scaledTraining("float16"), 1, 5);
    if (spoiled) {
      const auto before = weightsOfModel(*model);
      const StepResult result = runner.run(noisyBatch(), 0);
      EXPECT_TRUE(result.skipped);
      EXPECT_TRUE(std::isfinite(result.loss));
      EXPECT_FALSE(std::isfinite(result.gradientNorm));
      EXPECT_EQ(runner.lossScale().factor(), 32768);
      EXPECT_TRUE(runner.optimizer().state().empty()) << "no step was counted";
      expectSameWeights(before, weightsOfModel(*model));
    }
    bad = false;
    EXPECT_FALSE(runner.run(noisyBatch(), 1).skipped);
    std::vector<at::Tensor> all = weightsOfModel(*model);
    for (const auto& item : runner.average().state())
      all.push_back(item.second.clone());
    for (const auto& item : runner.optimizer().state())
      all.push_back(item.second.clone());
    return all;
  };
  expectSameWeights(trained(true), trained(false));
}

TEST(LossScale, GradientsThatNoScalingMendsEndTheRun) {
  const auto model = tinyScaledModel();
  const bool bad = true;
  spoilGradient(*model, bad);
  StepRunner runner(model, at::kCPU, scaledTraining("float16"), 1, 5);
  const auto before = weightsOfModel(*model);
  std::int64_t step = 0;
  try {
    while (step < 100)
      runner.run(noisyBatch(), step++);
    FAIL() << "it went on";
  } catch (const Failure& failure) {
    EXPECT_NE(failure.error().message.find("gradient of step 16"), std::string::npos)
        << failure.error().message;
  }
  EXPECT_EQ(step, 17) << "from 2^16 to 1";
  expectSameWeights(before, weightsOfModel(*model));
}

// --- In a run ------------------------------------------------------------------------------------

Experiment experimentIn(const std::string& precision) {
  Experiment experiment = tinyExperiment();
  experiment.training.precision = precision;
  experiment.data.loaderThreads = 0;
  return experiment;
}

std::shared_ptr<const Dataset> splitOf(const Experiment& experiment, Split split) {
  DatasetSpec spec;
  spec.imageSize = experiment.model.imageSize;
  spec.trainSamples = experiment.data.trainSamples;
  spec.validationSamples = experiment.data.validationSamples;
  return valueOrThrow(openDataset(spec, split));
}

TrainerParts scaleParts(const Experiment& experiment) {
  TrainerParts parts;
  parts.experiment = experiment;
  parts.train = splitOf(experiment, Split::Train);
  parts.validation = splitOf(experiment, Split::Validation);
  parts.preprocessing = makePreprocessing(experiment.model);
  parts.model = makeModel(experiment.model, 7);
  parts.model->setMasks(valueOrThrow(resolveMasks(experiment.masks, parts.model->masks().shape())));
  return parts;
}

/// A trainer without the session, which asks whether the device can.
TrainingOutcome trainIn(const Experiment& experiment, const std::filesystem::path& folder,
                        bool resumed, std::int64_t until = 1000) {
  const auto saved =
      resumed ? std::optional(valueOrThrow(readTrainingCheckpoint(opened(folder), kRunLast)))
              : std::nullopt;
  TrainerParts parts = scaleParts(experiment);
  RunControl control;
  MaskEditQueue ledger(experiment, parts.model->masks());
  Trainer trainer(std::move(parts), resumed ? RunFolder::open(folder) : RunFolder::create(folder),
                  control, ledger);
  if (saved) trainer.restore(*saved);
  std::stop_source stop;
  control.setWakeUp([&] {
    for (const StepPoint& point : control.takeUpdate().steps)
      if (point.step >= until) stop.request_stop();
  });
  return trainer.run(stop.get_token());
}

LossScaleState lossScaleIn(const std::filesystem::path& folder) {
  const auto saved = valueOrThrow(readTrainingCheckpoint(opened(folder), kRunLast));
  EXPECT_TRUE(saved.lossScale.has_value());
  return saved.lossScale.value_or(LossScaleState{});
}

TEST(PrecisionRun, ResumesToTheSameWeightsAndTheSameScale) {
  for (const std::string precision : {"bfloat16", "float16"}) {
    SCOPED_TRACE(precision);
    const TemporaryFolder temporary;
    const auto whole = temporary.path() / "whole", cut = temporary.path() / "cut";
    const Experiment experiment = experimentIn(precision);
    EXPECT_EQ(trainIn(experiment, whole, false).state, TrainingState::Finished);
    EXPECT_EQ(trainIn(experiment, cut, false, 4).state, TrainingState::Stopped);
    EXPECT_EQ(trainIn(experiment, cut, true).state, TrainingState::Finished);
    expectSame(lastTensors(whole), lastTensors(cut));
    if (precision != "float16") continue;
    EXPECT_EQ(lossScaleIn(whole).goodSteps, 10);
    EXPECT_EQ(lossScaleIn(cut).goodSteps, 10) << "the four before count too";
    EXPECT_EQ(lossScaleIn(cut).scale, lossScaleIn(whole).scale);
  }
}

/// Ten steps of which the fourth and the fifth are spoiled.
void trainSpoiled(const Experiment& experiment, const std::filesystem::path& folder) {
  TrainerParts parts = scaleParts(experiment);
  bool bad = false;
  spoilGradient(*parts.model, bad);
  RunControl control;
  MaskEditQueue ledger(experiment, parts.model->masks());
  Trainer trainer(std::move(parts), RunFolder::create(folder), control, ledger);
  std::vector<std::int64_t> reported;
  control.setWakeUp([&] {
    for (const StepPoint& point : control.takeUpdate().steps) {
      bad = point.step == 3 || point.step == 4;
      if (point.skipped) reported.push_back(point.step);
    }
  });
  EXPECT_EQ(trainer.run({}).state, TrainingState::Finished);
  EXPECT_EQ(reported, (std::vector<std::int64_t>{4, 5}));
}

TEST(PrecisionRun, ASkippedStepIsToldAsSkipped) {
  const TemporaryFolder temporary;
  Experiment experiment = experimentIn("float16");
  experiment.telemetry.tensorboard = true;
  const auto folder = temporary.path() / "run";
  trainSpoiled(experiment, folder);
  const auto shown = shownOf(folder);
  std::int64_t steps = 0;
  for (const std::string& text : linesOf(folder / "metrics.jsonl")) {
    const Json line = Json::parse(text);
    if (line["type"] != "step") continue;
    const std::int64_t step = line["step"];
    const bool skipped = step == 4 || step == 5;
    SCOPED_TRACE(step);
    ++steps;
    EXPECT_EQ(line.contains("skipped"), skipped);
    EXPECT_EQ(line.contains("gradient_norm"), !skipped);
    EXPECT_EQ(line["skipped_steps"], step < 4 ? 0 : step < 5 ? 1 : 2);
    EXPECT_EQ(line["loss_scale"], step < 4 ? 65536 : step < 5 ? 32768 : 16384);
    for (const auto& [key, value] : line.items())
      EXPECT_FALSE(value.is_null()) << key;
    EXPECT_EQ(shown.contains({"train/gradient_norm", step}), !skipped);
    EXPECT_EQ(shown.at({"train/skipped_steps", step}).number, line["skipped_steps"]);
    EXPECT_EQ(shown.at({"train/loss_scale", step}).number, line["loss_scale"]);
  }
  EXPECT_EQ(steps, 10);
  const RunHistory history = readRunHistory(opened(folder), {2, 2});
  ASSERT_EQ(history.steps.size(), 10u);
  for (const StepPoint& point : history.steps) {
    EXPECT_EQ(point.skipped, point.step == 4 || point.step == 5);
    EXPECT_EQ(std::isfinite(point.gradientNorm), !point.skipped);
    EXPECT_TRUE(std::isfinite(point.loss));
  }
}

TEST(PrecisionRun, InFloat32NothingIsSaidOfScaling) {
  const TemporaryFolder temporary;
  trainIn(experimentIn("float32"), temporary.path() / "run", false);
  for (const std::string& text : linesOf(temporary.path() / "run/metrics.jsonl"))
    for (const char* key : {"skipped", "skipped_steps", "loss_scale"})
      EXPECT_FALSE(Json::parse(text).contains(key)) << text;
}

TEST(PrecisionRun, IsAnotherOneThanInFloat32) {
  const TemporaryFolder temporary;
  trainIn(experimentIn("float32"), temporary.path() / "float32", false);
  trainIn(experimentIn("bfloat16"), temporary.path() / "bfloat16", false);
  trainIn(experimentIn("float16"), temporary.path() / "float16", false);
  const auto exact = lastTensors(temporary.path() / "float32"),
             rounded = lastTensors(temporary.path() / "bfloat16");
  expectSame(exact, lastTensors(temporary.path() / "float16"));  // on the CPU: scaled, not narrow
  EXPECT_FALSE(at::equal(exact.at("head.weight"), rounded.at("head.weight")));
  const auto saved =
      valueOrThrow(readTrainingCheckpoint(opened(temporary.path() / "float32"), kRunLast));
  EXPECT_FALSE(saved.lossScale.has_value());
}

TEST(PrecisionRun, ADamagedScaleIsRefused) {
  const TemporaryFolder temporary;
  trainIn(experimentIn("float16"), temporary.path() / "run", false, 2);
  const auto good =
      valueOrThrow(readTrainingCheckpoint(opened(temporary.path() / "run"), kRunLast));
  for (const auto& [factor, steps] : {std::pair{0.0, 1}, {1e30, 1}, {-4.0, 1}, {65536.0, -1}}) {
    TrainingCheckpoint bad = good;
    bad.lossScale = LossScaleState{factor, steps, 0};
    EXPECT_THROW(unpacked(packed(bad), "bad.safetensors"), Failure) << factor << " " << steps;
  }
  EXPECT_NO_THROW(unpacked(packed(good), "good.safetensors"));
}

}  // namespace
}  // namespace headlight
