// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/sequences/SequenceTraining.h"

#include <optional>
#include <utility>

#include "core/base/Log.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/config/RunId.h"
#include "core/models/layers/Device.h"
#include "core/processes/Processes.h"
#include "core/training/run/RunChecks.h"
#include "core/training/sequence/SequenceHistory.h"
#include "core/training/sequence/SequenceTrainer.h"
#include "core/workbench/loading/TorchRuntime.h"
#include "core/workbench/sequences/SequenceRun.h"
#include "core/workbench/session/InferenceSession.h"
#include "core/workbench/training/ExperimentPaths.h"
#include "core/workbench/training/UnusedFolder.h"

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

/// With whom a run is computed.
struct SequenceCompany {
  Launch launch;
  std::shared_ptr<Processes> processes;  ///< null: alone
};

/// What the data of all processes must have in common.
std::string sequenceFingerprint(const SequenceTrainerParts& parts) {
  return Json{parts.train->size(), parts.validation->size(), contentOf(parts.train->stamp()),
              contentOf(parts.validation->stamp())}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Opens the data and builds the model. `fresh`: with the config's own weights, which a run with a
/// checkpoint does not need any more. Throws Failure.
SequenceTrainerParts partsOf(const SequenceExperiment& experiment, bool fresh = true,
                             const SequenceCompany& company = {}) {
  SequenceTrainerParts parts;
  parts.experiment = experiment;
  parts.processes = company.processes;
  parts.device = deviceFromConfig(placedDevice(experiment.device, company.launch));
  // What cannot be is said before gigabytes of data are read.
  checkCausalAttention(experiment.model, experiment.length());
  parts.train = valueOrThrow(openSequences(experiment, SequenceSplit::Train));
  parts.validation = valueOrThrow(openSequences(experiment, SequenceSplit::Validation));
  if (company.processes) requireSame(*company.processes, "data", sequenceFingerprint(parts));
  // A first look: what cannot be read at all is said now.
  valueOrThrow(parts.train->draw(static_cast<std::uint64_t>(experiment.seed), 0));
  parts.model = makeSequenceModel(experiment);
  if (fresh) loadSequenceStart(parts);
  parts.model->to(parts.device);
  return parts;
}

void requireSameSettings(const SequenceExperiment& given, const SequenceExperiment& recorded,
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
                                       const std::function<RunFolder()>& create,
                                       const SequenceCompany& company = {}) {
  // Before anything is written.
  SequenceTrainerParts parts = partsOf(experiment, /*fresh=*/true, company);
  RunFolder run = create();
  const Json config = sequenceToJson(experiment);
  parts.run = makeRunId(config);
  valueOrThrow(run.writeConfig(config, parts.run));
  auto trainer = std::make_unique<SequenceTrainer>(std::move(parts), std::move(run));
  trainer->restart();
  return trainer;
}

std::unique_ptr<SequenceTrainer> resumed(const SequenceExperiment& experiment, RunFolder run,
                                         const SequenceCompany& company = {}) {
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
  requireSameSettings(experiment, written, run.path());
  SequenceTrainerParts parts = partsOf(experiment, /*fresh=*/!saved, company);
  parts.run = identity.run;
  auto trainer = std::make_unique<SequenceTrainer>(std::move(parts), std::move(run));
  if (saved)
    trainer->restore(*saved);
  else
    trainer->restart();
  return trainer;
}

/// The last of what is done before the first step.
std::unique_ptr<SequenceTrainer> shared(std::unique_ptr<SequenceTrainer> trainer,
                                        const SequenceCompany& company) {
  trainer->share();
  if (company.processes) company.processes->endStart();
  return trainer;
}

/// The trainer of process 0, or of the only one.
std::unique_ptr<SequenceTrainer> firstTrainer(const SequenceExperiment& experiment,
                                              const fs::path& folder, bool resume,
                                              const SequenceCompany& company) {
  configureCompute(chooseThreads(experiment.threads, company.launch));
  const SequenceExperiment own = absolute(experiment);
  if (company.processes) sharedExperiment(*company.processes, own);
  const fs::path path = fs::absolute(folder).lexically_normal();
  if (resume) return resumed(own, RunFolder::open(path), company);
  const auto create = [&] { return RunFolder::create(path); };
  return begun(own, create, company);
}

/// Process 0's experiment, on this machine.
SequenceExperiment joinedExperiment(Processes& processes,
                                    const std::optional<SequenceExperiment>& own) {
  SequenceExperiment experiment = sharedExperiment(processes, SequenceExperiment());
  if (!own) return experiment;
  experiment.device = own->device;
  experiment.threads = own->threads;
  if (!own->data.path.empty()) experiment.data.path = absolute(*own).data.path;
  return experiment;
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
                                      std::stop_token stop, const DistributedContext& together) {
  return guarded(folder.string(), [&] {
    const SequenceCompany company{together.launch, meet(together, experiment.training.timeout)};
    const auto trainer = runAndReportFailure(company.processes, [&] {
      return shared(firstTrainer(experiment, folder, resume, company), company);
    });
    return trainer->run(onReading, stop);
  });
}

Result<SequenceOutcome> joinSequence(const std::optional<SequenceExperiment>& own,
                                     const DistributedContext& together, std::stop_token stop) {
  return guarded("", [&] {
    const double timeout = own.value_or(SequenceExperiment()).training.timeout;
    const SequenceCompany company{together.launch, meet(together, timeout)};
    const UnusedFolder unused;
    const auto trainer = runAndReportFailure(company.processes, [&] {
      const SequenceExperiment experiment = joinedExperiment(*company.processes, own);
      configureCompute(chooseThreads(experiment.threads, together.launch));
      SequenceTrainerParts parts = partsOf(experiment, /*fresh=*/false, company);
      return shared(
          std::make_unique<SequenceTrainer>(std::move(parts), RunFolder::create(unused.path())),
          company);
    });
    return trainer->run({}, stop);
  });
}

}  // namespace headlight
