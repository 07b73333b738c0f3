// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/training/Support.h"

#include "core/models/Registry.h"

namespace headlight {

Experiment tinyExperiment() {
  Experiment experiment;
  experiment.name = "tiny";
  experiment.seed = 7;
  experiment.device = "cpu";
  experiment.threads = 1;  // layers this small only wait for a second one
  ModelConfig& model = experiment.model;
  model.imageSize = 16;
  model.patchSize = 4;
  model.width = 16;
  model.depth = 2;
  model.heads = 2;
  model.classes = 9;
  model.dropPath = 0.3;
  model.cropFraction = 1.0;
  model = completed(model, modelCatalog());  // all options
  experiment.masks.scheme = "of the test";
  experiment.masks.cells = {{{MaskKind::Soft, 3, 0.3, 0}, {MaskKind::Hard, 3, 0.5, 0}},
                            {{MaskKind::None, 3, 0.5, 0}, {MaskKind::Random, 3, 0.5, 5}}};
  DataConfig& data = experiment.data;
  data.trainSamples = 40;
  data.validationSamples = 18;
  data.colorJitter = 0.3;
  data.loaderThreads = 1;
  TrainingConfig& training = experiment.training;
  training.epochs = 2;
  training.batchSize = 8;
  training.warmupEpochs = 0.4;
  training.emaDecay = 0.8;
  training.checkpointSteps = 3;
  experiment.telemetry.alsSteps = 2;
  experiment.telemetry.probeImages = 3;
  experiment.telemetry.metricsSteps = 1;
  return experiment;
}

std::unique_ptr<TrainingSession> begin(const Experiment& experiment,
                                       const std::filesystem::path& folder) {
  auto session = TrainingSession::begin(experiment, folder);
  if (!session) throw Failure(session.error());
  return std::move(session).value();
}

std::unique_ptr<TrainingSession> resume(const std::filesystem::path& folder) {
  auto session = TrainingSession::resume(folder);
  if (!session) throw Failure(session.error());
  return std::move(session).value();
}

Result<TrainingOutcome> runWith(TrainingSession& session,
                                const std::function<void(std::int64_t step)>& afterStep,
                                std::stop_token stop) {
  // The wake-up comes on the training thread, after every step that was taken notice of.
  session.setWakeUp([&] {
    for (const StepPoint& point : session.takeUpdate().steps)
      afterStep(point.step);
  });
  auto outcome = session.run(stop);
  session.setWakeUp({});
  return outcome;
}

Result<TrainingOutcome> runUntil(TrainingSession& session, std::int64_t steps) {
  std::stop_source source;
  return runWith(
      session,
      [&](std::int64_t step) {
        if (step >= steps) source.request_stop();
      },
      source.get_token());
}

TrainingOutcome runToEnd(TrainingSession& session) {
  auto outcome = session.run({});
  if (!outcome) throw Failure(outcome.error());
  EXPECT_EQ(outcome->state, TrainingState::Finished);
  return *outcome;
}

std::map<std::string, at::Tensor> lastTensors(const std::filesystem::path& folder) {
  auto checkpoint = readSafetensors(folder / "last.safetensors");
  if (!checkpoint) throw Failure(checkpoint.error());
  return {checkpoint->tensors.begin(), checkpoint->tensors.end()};
}

void expectSame(const std::map<std::string, at::Tensor>& a,
                const std::map<std::string, at::Tensor>& b) {
  EXPECT_GT(a.size(), 20u);
  EXPECT_EQ(a.size(), b.size());
  for (const auto& [name, tensor] : a) {
    const auto found = b.find(name);
    ASSERT_NE(found, b.end()) << name << " is missing";
    EXPECT_TRUE(at::equal(tensor, found->second)) << name << " differs";
  }
}

OpenFolder opened(const std::filesystem::path& folder) {
  return valueOrThrow(OpenFolder::open(folder));
}

std::vector<std::string> linesOf(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

MaskEdit editOf(const MaskScheme& scheme, int layer, int head, const std::string& mask) {
  return valueOrThrow(makeMaskEdit(scheme, {{layer, head}}, valueOrThrow(headMaskFromText(mask)),
                                   mask + " in the test"));
}

}  // namespace headlight
