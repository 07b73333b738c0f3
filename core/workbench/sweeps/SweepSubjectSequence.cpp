// SPDX-License-Identifier: GPL-3.0-or-later

// SweepSubject.h: sequence models.

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "core/config/RunId.h"
#include "core/models/layers/Device.h"
#include "core/models/sequence/SequenceCost.h"
#include "core/models/sequence/SequenceModel.h"
#include "core/training/run/RunFolder.h"
#include "core/training/sequence/SequenceFile.h"
#include "core/training/sequence/SequenceTrainer.h"
#include "core/workbench/sequences/SequenceRun.h"
#include "core/workbench/sweeps/SweepSubject.h"
#include "core/workbench/training/ExperimentPaths.h"

namespace headlight {
namespace {

/// As wide as the 256 values of a byte.
at::Tensor randomBytes(std::int64_t batch, std::int64_t length) {
  return at::randint(kByteValues, {batch, length}, at::kLong);
}

class SequenceSubject : public SweepSubject {
 public:
  void requireTrainable(const SweepVariant& variant, bool fresh) const override {
    requireSequenceTrainable(*variant.sequence, fresh);
  }

  std::optional<std::string> difference(const SweepRun& run,
                                        const OpenFolder& folder) const override {
    SequenceExperiment wanted = *run.sequence;
    makeSequencePathsAbsolute(wanted);
    const SequenceExperiment written = valueOrThrow(
        sequenceFromText(valueOrThrow(folder.read(kRunConfig, kMaxSequenceConfigBytes)),
                         folder.pathOf(kRunConfig).string()));
    const auto differences = configDifferences(sequenceToJson(wanted), sequenceToJson(written));
    if (differences.empty()) return std::nullopt;
    return differences.front().path;
  }

  Result<SweepOutcome> train(const SweepRun& run, const HeldFolder& held,
                             const RunListener& listener, const SweepObserver& observer,
                             std::stop_token stop) const override {
    const bool begun = RunFolder::holdsRun(held.files);
    const auto trainer = openSequenceTrainer(*run.sequence, held, begun);
    listener.begun(begun);
    const auto notify = [&](const SequenceReading& reading) {
      if (observer.reading) observer.reading(run, reading);
      listener.progress({reading.validating ? "validating" : "training", reading.step,
                         reading.steps, reading.secondsLeft});
    };
    return guarded(run.folder.string(), [&] {
      const SequenceOutcome outcome = trainer->run(notify, stop);
      return SweepOutcome{outcome.finished, outcome.steps, outcome.bestBits.value_or(0)};
    });
  }

  RunResult resultIn(const SweepRun& run, const OpenFolder& folder) const override {
    return sequenceResult(folder, run.sequence->training);
  }

  SweepRow describe(const SweepRun& run, const OpenFolder&) const override {
    const SequenceExperiment& experiment = *run.sequence;
    SweepRow row;
    row.backbone = "sequence";
    row.mechanism = experiment.model.mechanism;
    row.depth = experiment.model.depth;
    row.width = experiment.model.width;
    row.heads = experiment.model.hasHeads() ? experiment.model.heads : 1;
    row.length = experiment.length();
    row.parameters = sequenceCost(experiment).parameters;
    return row;
  }

  SpeedContender contender(const std::filesystem::path& checkpoint,
                           const SpeedSettings& settings) override {
    const SequenceFile file = valueOrThrow(readSequenceFile(checkpoint));
    const auto model = modelOf(file, checkpoint.string());
    const at::Device device = deviceFromConfig(settings.device);
    model->to(device);
    const at::Tensor bytes = randomBytes(settings.batch, model->length()).to(device);
    return {settings.batch, [model, bytes] { model->forward(bytes).sum().item<float>(); }};
  }

  SpeedSettings speedSettings(const SweepVariant& variant, std::int64_t batch) const override {
    return {variant.sequence->device, variant.sequence->threads, batch};
  }
};

}  // namespace

std::unique_ptr<SweepSubject> sequenceSubject() {
  return std::make_unique<SequenceSubject>();
}

}  // namespace headlight
