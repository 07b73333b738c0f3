// SPDX-License-Identifier: GPL-3.0-or-later

// Every kind of registered model, made small: trains with a falling loss, resumes exactly, and
// comes back from its checkpoint and its config as it was.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>

#include "core/analysis/Rollout.h"
#include "core/models/Registry.h"
#include "core/workbench/session/InferenceSession.h"
#include "core/workbench/training/TrainingSession.h"
#include "tests/TemporaryFolder.h"
#include "tests/models/Shrunk.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

/// A model without its numbers: what is left tells kinds apart.
Json kindOf(const ModelConfig& model) {
  Json kind = {{"backbone", model.backbone},      {"mechanism", model.mechanism},
               {"class_token", model.classToken}, {"distilled", model.distilled},
               {"positions", model.positions},    {"layer_scale", model.layerScale > 0}};
  for (const Json* options : {&model.attention, &model.layout})
    for (const auto& [name, value] : options->items())
      if (value.is_string() || value.is_boolean()) kind[name] = value;
  return kind;
}

/// One model of each backbone, mechanism, kind of options and head, small; by the published name.
std::vector<std::pair<std::string, ModelConfig>> kinds() {
  std::vector<std::pair<std::string, ModelConfig>> result;
  std::set<std::string> seen;
  for (const auto& published : publishedModels()) {
    // They learn boxes, pixels or patches.
    if (taskOf(published.config) != Task::Classify) continue;
    if (published.config.backbone.starts_with("esnet")) continue;  // as LCNet's
    ModelConfig small = shrunk(published.config);
    small.classes = 9;  // of texture-shape
    small.name = "custom";
    // What images are normalized by is no kind of model, and those that are not (TIPSv2) are
    // learned from more slowly.
    small.mean = ModelConfig{}.mean;
    small.deviation = ModelConfig{}.deviation;
    if (seen.insert(kindOf(small).dump()).second) result.emplace_back(published.name, small);
  }
  return result;
}

Experiment experimentOf(const ModelConfig& model, std::int64_t steps) {
  constexpr std::int64_t kBatch = 12;
  Experiment experiment;
  experiment.seed = 3;
  experiment.device = "cpu";
  experiment.threads = 1;  // layers this small only wait for a second one
  experiment.model = model;
  experiment.data.trainSamples = kBatch * steps / 4;
  experiment.data.validationSamples = 18;
  experiment.data.loaderThreads = 1;
  experiment.data.augment = false;
  experiment.training.epochs = 4;
  experiment.training.batchSize = kBatch;
  experiment.training.learningRate = 2e-3;
  experiment.training.warmupEpochs = 0.4;
  experiment.training.checkpointSteps = 1000;
  experiment.telemetry.alsSteps = steps / 2;
  experiment.telemetry.probeImages = 2;
  return experiment;
}

struct Trained {
  std::vector<double> losses;
  TrainingOutcome outcome;
};

/// Runs to the end, or until `stopAfter` steps.
Trained trainFor(TrainingSession& session, std::int64_t stopAfter = -1) {
  Trained result;
  std::stop_source source;
  session.setWakeUp([&] {
    for (const StepPoint& point : session.takeUpdate().steps) {
      result.losses.push_back(point.loss);
      if (stopAfter >= 0 && point.step >= stopAfter) source.request_stop();
    }
  });
  result.outcome = valueOrThrow(session.run(source.get_token()));
  session.setWakeUp({});
  return result;
}

std::string bytesOf(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

double mean(const std::vector<double>& values, std::size_t first, std::size_t count) {
  return std::accumulate(values.begin() + first, values.begin() + first + count, 0.0) / count;
}

Image gray(const ModelConfig& model) {
  Image image;
  image.width = model.imageWidthPixels();
  image.height = model.imageHeightPixels();
  std::vector<std::uint8_t> pixels(std::size_t{3} * image.width * image.height);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = static_cast<std::uint8_t>(i * 37 % 251);
  image.pixels = std::make_shared<const std::vector<std::uint8_t>>(std::move(pixels));
  return image;
}

class EveryModel : public ::testing::TestWithParam<std::pair<std::string, ModelConfig>> {};

TEST_P(EveryModel, LearnsInTwoHundredSteps) {
  TemporaryFolder folder;
  const Experiment experiment = experimentOf(GetParam().second, 200);
  const Trained trained =
      trainFor(*valueOrThrow(TrainingSession::begin(experiment, folder / "run")));
  ASSERT_EQ(trained.losses.size(), 200u);
  for (const double loss : trained.losses)
    ASSERT_TRUE(std::isfinite(loss));
  const double first = mean(trained.losses, 0, 30), last = mean(trained.losses, 170, 30);
  EXPECT_LT(last, first - 0.05) << first << " to " << last;
}

TEST_P(EveryModel, ResumesExactly) {
  TemporaryFolder folder;
  const Experiment experiment = experimentOf(GetParam().second, 8);
  trainFor(*valueOrThrow(TrainingSession::begin(experiment, folder / "whole")));
  trainFor(*valueOrThrow(TrainingSession::begin(experiment, folder / "cut")), 5);
  trainFor(*valueOrThrow(TrainingSession::resume(folder / "cut")));
  EXPECT_TRUE(bytesOf(folder / "whole/last.safetensors") ==
              bytesOf(folder / "cut/last.safetensors"));
}

TEST_P(EveryModel, ComesBackFromCheckpointAndConfig) {
  TemporaryFolder folder;
  const Experiment experiment = experimentOf(GetParam().second, 1);
  const Experiment read =
      valueOrThrow(experimentFromText(experimentToText(experiment), "config", modelCatalog()));
  EXPECT_EQ(experimentToText(read), experimentToText(valueOrThrow(experimentFromText(
                                        experimentToText(read), "config", modelCatalog()))));
  const auto session = valueOrThrow(InferenceSession::create(read));
  const MaskScheme masks(makeMaskShape(read.model));
  const InferenceResult before = valueOrThrow(session->infer(gray(read.model), masks));
  ASSERT_TRUE(session->save(folder / "model.safetensors", masks).ok());
  ModelSource source;
  source.weights = folder / "model.safetensors";
  source.device = "cpu";
  source.threads = 1;
  const auto loaded = valueOrThrow(InferenceSession::open(source));
  EXPECT_TRUE(loaded->info().report.complete()) << loaded->info().report.summary();
  EXPECT_EQ(modelToJson(checkedAndCompleted(loaded->info().experiment.model)),
            modelToJson(checkedAndCompleted(read.model)));
  const InferenceResult after = valueOrThrow(loaded->infer(gray(read.model), masks));
  EXPECT_EQ(before.logits, after.logits);
  ASSERT_EQ(after.maps.layers.size(), static_cast<std::size_t>(masks.layers()));
  for (const auto& layer : after.maps.layers) {
    ASSERT_EQ(layer.values->size(),
              static_cast<std::size_t>(layer.heads) * layer.tokens() * layer.tokens());
    for (const float value : *layer.values)
      ASSERT_TRUE(std::isfinite(value));
  }
  EXPECT_FALSE(after.maps.meaning.empty());
  EXPECT_EQ(rollout(after.maps, {}).ok(), masks.layers() > 0);
}

TEST_P(EveryModel, RefusesNonsenseOptions) {
  for (const char* section : {"attention", "layout"}) {
    Json json = experimentToJson(experimentOf(GetParam().second, 1));
    json["model"][section]["no_such_option"] = 1;
    const auto read = experimentFromJson(json, modelCatalog());
    ASSERT_FALSE(read.ok());
    EXPECT_NE(read.error().text().find(std::string("model.") + section + ".no_such_option"),
              std::string::npos)
        << read.error().text();
  }
}

std::string testName(const ::testing::TestParamInfo<EveryModel::ParamType>& info) {
  return info.param.first;
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModel, ::testing::ValuesIn(kinds()), testName);

}  // namespace
}  // namespace headlight
