// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/sequences/SequenceTraining.h"

#include <optional>

#include "core/base/Log.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/config/RunId.h"
#include "core/models/layers/Device.h"
#include "core/training/run/RunChecks.h"
#include "core/training/sequence/SequenceHistory.h"
#include "core/training/sequence/SequenceTrainer.h"
#include "core/workbench/loading/TorchRuntime.h"
#include "core/workbench/sequences/SequenceRun.h"
#include "core/workbench/session/InferenceSession.h"
#include "core/workbench/training/ExperimentPaths.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

/// The weights that the config begins with, if it names any.
void loadSequenceStart(const SequenceTrainerParts& parts) {
  const std::string& path = parts.experiment.training.weights;
  if (path.empty()) return;
  const fs::path weights = sequenceWeightsIn(path);
  startFrom(*parts.model, valueOrThrow(readSequenceFile(weights)), weights.string());
}

/// Opens the data and builds the model. `fresh`: with the config's own weights, which a run with a
/// checkpoint does not need any more. Throws Failure.
SequenceTrainerParts partsOf(const SequenceExperiment& experiment, bool fresh = true) {
  SequenceTrainerParts parts;
  parts.experiment = experiment;
  parts.device = deviceFromConfig(experiment.device);
  // What cannot be is said before gigabytes of data are read.
  checkCausalAttention(experiment.model, experiment.length());
  parts.train = valueOrThrow(openSequences(experiment, SequenceSplit::Train));
  parts.validation = valueOrThrow(openSequences(experiment, SequenceSplit::Validation));
  // A first look: what cannot be read at all is said now.
  valueOrThrow(parts.train->draw(static_cast<std::uint64_t>(experiment.seed), 0));
  parts.model = makeSequenceModel(experiment);
  if (fresh) loadSequenceStart(parts);
  parts.model->to(parts.device);
  return parts;
}

void requireSame(const SequenceExperiment& given, const SequenceExperiment& recorded,
                 const fs::path& folder) {
  std::string list;
  for (const auto& [path, there, here] :
       configDifferences(sequenceToJson(recorded), sequenceToJson(given)))
    if (path != "name" && path != "device" && path != "threads")
      addTo(list, path + " is " + there + " there and " + here + " here");
  if (list.empty()) return;
  throw Failure({ErrorCode::InvalidArgument,
                 tr("contains a run with other settings: ") + list +
                     tr("; resume it with its own config.json, or start a new run"),
                 folder.string()});
}

SequenceExperiment absolute(SequenceExperiment experiment) {
  makeSequencePathsAbsolute(experiment);
  return experiment;
}

std::unique_ptr<SequenceTrainer> begun(const SequenceExperiment& experiment,
                                       const std::function<RunFolder()>& create) {
  SequenceTrainerParts parts = partsOf(experiment);  // before anything is written
  RunFolder run = create();
  const Json config = sequenceToJson(experiment);
  parts.run = makeRunId(config);
  valueOrThrow(run.writeConfig(config, parts.run));
  auto trainer = std::make_unique<SequenceTrainer>(std::move(parts), std::move(run));
  trainer->restart();
  return trainer;
}

std::unique_ptr<SequenceTrainer> resumed(const SequenceExperiment& experiment, RunFolder run) {
  std::optional<SequenceFile> saved;
  std::optional<Json> carried;
  if (run.hasLast()) {
    saved = valueOrThrow(readSequenceFile(run.files(), kRunLast));
    carried = withRun(sequenceToJson(saved->experiment), saved->run);
  }
  const Json config = configOfRun(run, carried);
  const SequenceExperiment written = readOfRun(run, sequenceFromJson(config));
  const RunIdentity identity =
      requireOneRun(run, withRun(sequenceToJson(written), writtenRunId(config)), carried);
  if (!identity.changes.empty()) logWarning(identity.changes);
  requireSame(experiment, written, run.path());
  SequenceTrainerParts parts = partsOf(experiment, /*fresh=*/!saved);
  parts.run = identity.run;
  auto trainer = std::make_unique<SequenceTrainer>(std::move(parts), std::move(run));
  if (saved)
    trainer->restore(*saved);
  else
    trainer->restart();
  return trainer;
}

}  // namespace

fs::path sequenceWeightsIn(const fs::path& runFolderOrWeights) {
  const fs::path& given = runFolderOrWeights;
  std::error_code none;
  if (!fs::exists(given, none))
    throw Failure({ErrorCode::NotFound, tr("does not exist; give a run folder or its weights"),
                   given.string()});
  if (!fs::is_directory(given, none)) return given;
  for (const char* name : {"best.safetensors", "last.safetensors"})
    if (fs::exists(given / name, none)) return given / name;
  throw Failure({ErrorCode::NotFound,
                 tr("contains no weights (best.safetensors, last.safetensors); give the folder of "
                    "a trained run"),
                 given.string()});
}

std::vector<SequenceReading> sequenceHistory(const fs::path& folder, std::int64_t step) {
  const auto opened = OpenFolder::open(folder);
  return opened ? readSequenceHistory(*opened, step) : std::vector<SequenceReading>();
}

Result<SequenceExperiment> loadSequenceExperiment(const fs::path& runFolderOrWeights) {
  return guarded(runFolderOrWeights.string(), [&] {
    const fs::path config = runFolderOrWeights / "config.json";
    std::error_code none;
    if (fs::is_directory(runFolderOrWeights, none) && fs::exists(config, none))
      return valueOrThrow(readSequenceExperiment(config));
    return valueOrThrow(readSequenceFile(sequenceWeightsIn(runFolderOrWeights))).experiment;
  });
}

void requireSequenceTrainable(const SequenceExperiment& experiment, bool fresh) {
  partsOf(absolute(experiment), fresh);
}

std::unique_ptr<SequenceTrainer> openSequenceTrainer(const SequenceExperiment& experiment,
                                                     const HeldFolder& folder, bool resume) {
  configureCompute(experiment.threads);
  const SequenceExperiment own = absolute(experiment);
  if (resume) return resumed(own, RunFolder::open(folder));
  return begun(own, [&] { return RunFolder::create(folder); });
}

Result<SequenceOutcome> trainSequence(const SequenceExperiment& experiment, const fs::path& folder,
                                      bool resume,
                                      const std::function<void(const SequenceReading&)>& onReading,
                                      std::stop_token stop) {
  return guarded(folder.string(), [&] {
    configureCompute(experiment.threads);
    const SequenceExperiment own = absolute(experiment);
    const fs::path path = fs::absolute(folder).lexically_normal();
    const auto trainer = resume ? resumed(own, RunFolder::open(path))
                                : begun(own, [&] { return RunFolder::create(path); });
    return trainer->run(onReading, stop);
  });
}

}  // namespace headlight
