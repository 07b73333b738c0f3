// SPDX-License-Identifier: GPL-3.0-or-later

// SweepSubject of image classifiers.

#include "core/workbench/sweeps/SweepSubject.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <map>
#include <utility>

#include "core/config/RunId.h"
#include "core/models/Registry.h"
#include "core/training/run/RunFolder.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/training/ExperimentPaths.h"
#include "core/workbench/training/HeldTraining.h"
#include "core/workbench/training/TrainingSession.h"

namespace headlight {
namespace {

constexpr std::uintmax_t kMaxClassifierConfig = 16u << 20;

Experiment classifierConfigIn(const OpenFolder& run) {
  return valueOrThrow(experimentFromText(valueOrThrow(run.read(kRunConfig, kMaxClassifierConfig)),
                                         run.pathOf(kRunConfig).string(), modelCatalog()));
}

/// Random images [batch, 3, height, width] on a device: the same ones for all models of that size.
class RandomImages {
 public:
  at::Tensor of(const ModelConfig& model, std::int64_t batch, const at::Device& device) {
    at::Tensor& images = m_bySize[{model.imageHeightPixels(), model.imageWidthPixels()}];
    if (!images.defined())
      images = at::randn({batch, 3, model.imageHeightPixels(), model.imageWidthPixels()});
    if (images.device() != device) images = images.to(device);
    return images;
  }

 private:
  std::map<std::pair<int, int>, at::Tensor> m_bySize;
};

class ClassifierSubject : public SweepSubject {
 public:
  void requireTrainable(const SweepVariant& variant, bool fresh) const override {
    Experiment experiment = variant.experiment;
    if (!fresh) experiment.training.weights.clear();  // a checkpoint has taken their place
    valueOrThrow(TrainingSession::check(experiment));
  }

  /// The number of classes is left out: a run's config has it from the data.
  std::optional<std::string> difference(const SweepRun& run,
                                        const OpenFolder& folder) const override {
    const Experiment written = classifierConfigIn(folder);
    Experiment wanted = run.experiment;
    makePathsAbsolute(wanted);
    wanted.model.classes = written.model.classes;
    const Json a = experimentToJson(wanted), b = experimentToJson(written);
    if (const auto differences = configDifferences(a, b); !differences.empty())
      return differences.front().path;
    if (a.value("edits", Json()) != b.value("edits", Json())) return "edits";
    return std::nullopt;
  }

  Result<SweepOutcome> train(const SweepRun& run, const HeldFolder& held,
                             const RunListener& listener, const SweepObserver& observer,
                             std::stop_token stop) const override {
    const auto notify = [&](const TrainingUpdate& update) {
      if (observer.update) observer.update(run, update);
      listener.progress(update.progress);
    };
    const auto outcome = trainHeld(run.experiment, held, {listener.begun, notify}, stop);
    if (!outcome) return outcome.error();
    return SweepOutcome{outcome->state == TrainingState::Finished, outcome->steps,
                        outcome->bestScore};
  }

  RunResult resultIn(const SweepRun& run, const OpenFolder& folder) const override {
    const ScoreName& score = scoreNames(taskOf(run.experiment.model)).front();
    return imageResult(folder, run.experiment.training.epochs, score.key);
  }

  /// What the config of a run says (the data has told it the number of classes), and what the model
  /// has that is built from it: parameters of soft masks are in no config.
  SweepRow describe(const SweepRun&, const OpenFolder& folder) const override {
    const Experiment experiment = classifierConfigIn(folder);
    const ModelConfig& model = experiment.model;
    SweepRow row;
    row.backbone = model.backbone;
    row.mechanism = model.mechanism;
    row.masks = masksTitle(experiment.masks);
    row.parameters = buildModel(experiment, "cpu").info.parameters;
    row.macs = modelCost(model, experiment.masks).macs;
    row.classes = model.classes;
    return row;
  }

  SpeedContender contender(const std::filesystem::path& checkpoint,
                           const SpeedSettings& settings) override {
    ModelSource source;
    source.weights = checkpoint;
    source.device = settings.device;
    const LoadedModel loaded = loadModel(source);
    const at::Tensor images =
        m_images.of(loaded.info.experiment.model, settings.batch, at::Device(loaded.info.device));
    return {settings.batch,
            [model = loaded.model, images] { model->forward(images).sum().item<float>(); }};
  }

  SpeedSettings speedSettings(const SweepVariant& variant, std::int64_t batch) const override {
    return {variant.experiment.device, variant.experiment.threads, batch};
  }

 private:
  RandomImages m_images;
};

}  // namespace

std::unique_ptr<SweepSubject> makeSubject(const SweepPlan& plan) {
  if (plan.ofSequences()) return sequenceSubject();
  return std::make_unique<ClassifierSubject>();
}

}  // namespace headlight
