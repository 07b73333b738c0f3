// SPDX-License-Identifier: GPL-3.0-or-later

// One step of the trainer, and the probe, with a real model.

#include <gtest/gtest.h>

#include <ATen/Functions.h>

#include <limits>

#include "core/analysis/AttentionMaps.h"
#include "core/data/DrawnDatasets.h"
#include "core/training/Telemetry.h"
#include "core/training/step/StepRunner.h"
#include "core/workbench/session/Images.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

std::shared_ptr<Model> tinyModel(const Experiment& experiment) {
  auto model = makeModel(experiment.model, 3);
  model->setMasks(valueOrThrow(resolveMasks(experiment.masks, model->masks().shape())));
  model->train();
  return model;
}

Batch batchOf(float value) {
  Batch batch;
  batch.images = at::full({4, 3, 16, 16}, value);
  batch.labels = at::tensor({0, 1, 2, 3}, at::kLong);
  return batch;
}

TEST(StepRunner, MovesEveryParameterAndLeavesNoGradientBehind) {
  const Experiment experiment = tinyExperiment();
  auto model = tinyModel(experiment);
  std::vector<at::Tensor> before;
  for (const auto& [name, tensor] : model->trainable())
    before.push_back(tensor.detach().clone());
  StepRunner runner(model, at::kCPU, experiment.training, 1, 5);
  Batch batch = batchOf(0);
  seedTorch(5);
  batch.images.normal_();
  for (std::int64_t step = 0; step < 3; ++step) {
    const StepResult result = runner.run(batch, step);
    EXPECT_GT(result.gradientNorm, 0);
    EXPECT_DOUBLE_EQ(result.learningRate, runner.schedule().learningRate(step));
  }
  const auto after = model->trainable();
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_FALSE(at::equal(before[i], after[i].second)) << after[i].first;
    EXPECT_FALSE(after[i].second.grad().defined()) << after[i].first;
  }
}

TEST(StepRunner, NamesTheStepOfALossThatIsNoNumberAndKeepsTheWeights) {
  const Experiment experiment = tinyExperiment();
  auto model = tinyModel(experiment);
  StepRunner runner(model, at::kCPU, experiment.training, 1, 5);
  std::vector<at::Tensor> before;
  for (const auto& [name, tensor] : model->trainable())
    before.push_back(tensor.detach().clone());
  try {
    runner.run(batchOf(std::numeric_limits<float>::quiet_NaN()), 41);
    FAIL() << "it did not notice";
  } catch (const Failure& failure) {
    EXPECT_NE(failure.error().message.find("step 41"), std::string::npos);
  }
  const auto after = model->trainable();
  for (std::size_t i = 0; i < after.size(); ++i)
    EXPECT_TRUE(at::equal(before[i], after[i].second)) << after[i].first;
}

TEST(HeadProbe, AgreesWithTheAnalysisOfSingleImagesAndChangesNothing) {
  const Experiment experiment = tinyExperiment();
  auto model = tinyModel(experiment);
  DatasetSpec spec;
  spec.imageSize = 16;
  spec.validationSamples = 12;
  const auto dataset = valueOrThrow(openDataset(spec, Split::Validation));
  const Preprocessing preprocessing = makePreprocessing(experiment.model);
  const HeadProbe probe(*dataset, 12, preprocessing, 1, at::kCPU);  // all: no choice to repeat
  ASSERT_EQ(probe.images(), 12);
  seedTorch(11);
  const at::Tensor expectedDraw = at::rand({8});
  seedTorch(11);
  const HeadPoint point = probe.measure(*model, 7);
  EXPECT_TRUE(at::equal(at::rand({8}), expectedDraw)) << "no random number was drawn";
  EXPECT_TRUE(model->is_training());
  EXPECT_EQ(point.step, 7);

  const at::NoGradGuard noGrad;
  model->eval();
  std::vector<std::vector<double>> sums(2, std::vector<double>(2));
  for (std::int64_t i = 0; i < 12; ++i) {
    std::vector<float> pixels = preprocess(valueOrThrow(dataset->sample(i)).image, preprocessing);
    CollectingHook tap;
    model->forward(at::from_blob(pixels.data(), {1, 3, 16, 16}), &tap);
    for (int layer = 0; layer < 2; ++layer) {
      const at::Tensor map = tap.maps.at(layer)[0].contiguous();
      const float* data = map.data_ptr<float>();
      const LayerMaps maps{2, model->grid(layer),
                           std::make_shared<const std::vector<float>>(data, data + map.numel())};
      const std::vector<float> scores = localityScores(maps);
      for (int head = 0; head < 2; ++head)
        sums[layer][head] += scores[head] / 12.0;
    }
  }
  for (int layer = 0; layer < 2; ++layer)
    for (int head = 0; head < 2; ++head)
      EXPECT_NEAR(point.locality[layer][head], sums[layer][head], 1e-5);
  EXPECT_NEAR(point.alpha[0][0], 0.3, 1e-6);
}

}  // namespace
}  // namespace headlight
