// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/training/TrainingSession.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "core/base/Log.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/config/RunId.h"
#include "core/models/Registry.h"
#include "core/models/layers/Device.h"
#include "core/processes/Processes.h"
#include "core/training/Trainer.h"
#include "core/training/logs/RunHistory.h"
#include "core/training/run/MaskFits.h"
#include "core/training/run/ModelFile.h"
#include "core/training/run/RunChecks.h"
#include "core/training/run/TimmArgs.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/loading/TorchRuntime.h"
#include "core/workbench/session/ModelSnapshot.h"
#include "core/workbench/training/ExperimentPaths.h"
#include "core/workbench/training/TrainingStart.h"
#include "core/workbench/training/UnusedFolder.h"

namespace headlight {
namespace {

/// Written down where the run begins, so that it can be looked up long after.
void writeMaskFits(const RunFolder& folder, TrainingStart& start) {
  for (const MaskFit& fit : start.maskFits)
    if (const auto written = writeMaskFit(folder.files(), fit); !written)
      start.notes.push_back("the record of the mask fit was not written: " +
                            written.error().text());
}

/// For timm's tools. One that goes on keeps what it began with.
void keepTimmArgs(const RunFolder& folder, const TrainingStart& start) {
  if (!folder.files().has(kTimmArgs))
    valueOrThrow(writeTimmArgs(folder.files(), start.parts.experiment));
}

/// For a resumed run: those that it began with.
void keepWrittenMaskFits(const RunFolder& folder, TrainingStart& start) {
  std::erase_if(start.maskFits, [&](const MaskFit& fit) { return !folder.files().has(fit.file); });
}

std::filesystem::path placeOf(const std::filesystem::path& folder) {
  return std::filesystem::absolute(folder).lexically_normal();
}

/// What a run goes on from.
struct Resumption {
  Experiment experiment;
  std::optional<TrainingCheckpoint> saved;  ///< nothing: it was cut off before its first one
  std::string run;
  std::vector<std::string> notes;
};

/// A run is its checkpoint's; the config beside it says on what, and where the data lies now.
void takeFreeSettings(const Experiment& config, Experiment& run) {
  run.name = config.name;
  run.device = config.device;
  run.threads = config.threads;
  run.data.path = config.data.path;
  run.data.teacherLogits = config.data.teacherLogits;
  run.data.loaderThreads = config.data.loaderThreads;
}

Resumption resumptionOf(const RunFolder& folder) {
  Resumption from;
  std::optional<Json> carried;
  if (folder.hasLast()) {
    from.saved = valueOrThrow(readTrainingCheckpoint(folder.files(), kRunLast));
    carried = withRun(experimentToJson(from.saved->experiment), from.saved->run);
  }
  const Json config = configOfRun(folder, carried);
  from.experiment = readOfRun(folder, experimentFromJson(config, modelCatalog()));
  RunIdentity identity = requireOneRun(
      folder, withRun(experimentToJson(from.experiment), writtenRunId(config)), carried);
  from.run = std::move(identity.run);
  if (!identity.changes.empty()) from.notes.push_back(std::move(identity.changes));
  if (!from.saved) return from;
  takeFreeSettings(from.experiment, from.saved->experiment);
  from.experiment = from.saved->experiment;
  return from;
}

/// Runs `body`; where it throws, processes that wait for this one at the place where they meet get
/// to know why.
template <typename Body>
auto reportedIfNot(const DistributedContext& together, Body&& body) {
  try {
    return body();
  } catch (const std::exception& exception) {
    notifyWaitingPeers(together.launch, failureMessage(exception), together.stop);
    throw;
  }
}

}  // namespace

struct TrainingSession::State {
  Experiment experiment;
  std::optional<OpenFolder> folder;
  std::vector<std::string> classNames;
  RunControl control;
  std::unique_ptr<MaskEditQueue> ledger;
  std::unique_ptr<Trainer> trainer;
  std::once_flag ran;
  std::atomic<bool> ended = false;
  std::filesystem::path place;  ///< of the folder as it was opened
  Launch launch;
  std::shared_ptr<Processes> processes;  ///< null: one
  std::unique_ptr<UnusedFolder> unused;  ///< of a process that writes nothing

  mutable std::mutex snapshotMutex;
  std::shared_ptr<const ModelSnapshot> snapshot;

  void assemble(TrainerParts parts, RunFolder runFolder) {
    parts.trainStamp = parts.train->stamp();
    parts.validationStamp = parts.validation->stamp();
    experiment = parts.experiment;
    processes = parts.processes;
    folder = runFolder.files();
    place = runFolder.path();
    classNames = parts.train->classNames();
    ledger = std::make_unique<MaskEditQueue>(experiment, parts.model->masks());
    const auto model = parts.model;
    trainer = std::make_unique<Trainer>(std::move(parts), std::move(runFolder), control, *ledger);
    trainer->setSnapshotSink([this, model](const NamedTensors& state, std::int64_t step) {
      takeSnapshot(state, step, *model);
    });
  }

  /// The last of what is done before the first step.
  void share() {
    trainer->share();
    if (processes) processes->endStart();
  }

  /// At the end of its scope the run has ended: who looks at its folder finds nobody in it, though
  /// the session may be kept for its newest weights.
  struct Ending {
    State& state;
    ~Ending() {
      state.trainer->releaseFolder();
      state.ended = true;
    }
  };

  /// For a resumed run: what it measured in an earlier process.
  void completeFromLog(TrainingOutcome& outcome) const {
    if (outcome.startScore && outcome.lastScore) return;
    const RunHistory history = readRunHistory(*folder, ledger->masks().shape().heads);
    if (!outcome.startScore && history.start) outcome.startScore = history.start->quality();
    if (!outcome.lastScore && !history.epochPoints.empty())
      outcome.lastScore = history.epochPoints.back().quality();
  }

  /// What there is to say before the first step.
  void notify(std::vector<std::string> notes, std::vector<MaskFit> maskFits) {
    if (notes.empty() && maskFits.empty()) return;
    control.publish([&](TrainingUpdate& update) {
      update.warnings.insert(update.warnings.end(), notes.begin(), notes.end());
      update.maskFits = std::move(maskFits);
    });
  }

  void takeSnapshot(const NamedTensors& state, std::int64_t step, const Model& model) {
    auto taken = std::make_shared<ModelSnapshot>();
    for (const auto& [name, tensor] : state)
      taken->weights.emplace_back(name, tensor.detach().to(at::kCPU, /*non_blocking=*/false,
                                                           /*copy=*/true));
    taken->weights = weightsOf(taken->weights);
    taken->experiment = ledger->exported();
    taken->masks = ledger->masks();
    taken->classNames = classNames;
    taken->step = step;
    taken->progress = model.progress();
    taken->learned = model.learnedAlphas();
    {
      const std::lock_guard lock(snapshotMutex);
      snapshot = std::move(taken);
    }
    control.publish([](TrainingUpdate&) {});
  }
};

std::int64_t snapshotStep(const ModelSnapshot& snapshot) {
  return snapshot.step;
}

TrainingSession::TrainingSession() : m_state(std::make_unique<State>()) {}
TrainingSession::~TrainingSession() = default;

Result<std::unique_ptr<TrainingSession>> TrainingSession::begin(
    const Experiment& experiment, const std::filesystem::path& folder,
    const DistributedContext& together) {
  return begin(
      experiment, [&] { return RunFolder::create(placeOf(folder)); }, folder.string(), together);
}

Result<std::unique_ptr<TrainingSession>> TrainingSession::begin(const Experiment& experiment,
                                                                const HeldFolder& folder) {
  return begin(experiment, [&] { return RunFolder::create(folder); }, folder.files.path().string(),
               {});
}

Result<std::unique_ptr<TrainingSession>> TrainingSession::begin(
    const Experiment& experiment, const std::function<RunFolder()>& create,
    const std::string& where, const DistributedContext& together) {
  return guarded(where, [&] {
    const auto processes = meet(together, experiment.training.timeout);
    return runAndReportFailure(processes, [&] {
      configureCompute(chooseThreads(experiment.threads, together.launch));
      const Experiment all = processes ? sharedExperiment(*processes, experiment) : experiment;
      TrainingStart start = openStart(placedAt(all, together.launch), true, processes);
      RunFolder runFolder = create();
      const Json config = experimentToJson(start.parts.experiment);
      start.parts.run = makeRunId(config);
      valueOrThrow(runFolder.writeConfig(config, start.parts.run));
      keepTimmArgs(runFolder, start);
      writeMaskFits(runFolder, start);
      std::unique_ptr<TrainingSession> session(new TrainingSession);
      session->m_state->assemble(std::move(start.parts), std::move(runFolder));
      session->m_state->launch = together.launch;
      session->m_state->share();
      session->m_state->notify(std::move(start.notes), std::move(start.maskFits));
      return session;
    });
  });
}

Result<void> TrainingSession::check(const Experiment& experiment) {
  return guarded("training", [&] { openStart(experiment); });
}

Result<std::unique_ptr<TrainingSession>> TrainingSession::resume(
    const std::filesystem::path& folder, const DistributedContext& together) {
  return guarded(folder.string(), [&] {
    RunFolder opened = reportedIfNot(together, [&] { return RunFolder::open(placeOf(folder)); });
    return resumeIn(std::move(opened), together);
  });
}

Result<std::unique_ptr<TrainingSession>> TrainingSession::resume(const HeldFolder& folder) {
  return guarded(folder.files.path().string(),
                 [&] { return resumeIn(RunFolder::open(folder), {}); });
}

std::unique_ptr<TrainingSession> TrainingSession::resumeIn(RunFolder runFolder,
                                                           const DistributedContext& together) {
  Resumption from = reportedIfNot(together, [&] { return resumptionOf(runFolder); });
  const auto processes = meet(together, from.experiment.training.timeout);
  return runAndReportFailure(processes, [&] {
    configureCompute(chooseThreads(from.experiment.threads, together.launch));
    if (processes) sharedExperiment(*processes, from.experiment);
    TrainingStart start =
        openStart(placedAt(from.experiment, together.launch), /*fresh=*/!from.saved, processes);
    start.parts.run = from.run;
    start.notes.insert(start.notes.end(), from.notes.begin(), from.notes.end());
    keepTimmArgs(runFolder, start);
    if (from.saved)
      keepWrittenMaskFits(runFolder, start);
    else
      writeMaskFits(runFolder, start);
    std::unique_ptr<TrainingSession> session(new TrainingSession);
    session->m_state->assemble(std::move(start.parts), std::move(runFolder));
    session->m_state->launch = together.launch;
    if (from.saved)
      session->m_state->trainer->restore(*from.saved);
    else
      session->m_state->trainer->restart();
    session->m_state->share();
    session->m_state->notify(std::move(start.notes), std::move(start.maskFits));
    return session;
  });
}

Result<std::unique_ptr<TrainingSession>> TrainingSession::join(const std::optional<Experiment>& own,
                                                               const DistributedContext& together) {
  return guarded("", [&] {
    const auto processes = meet(together, own.value_or(Experiment()).training.timeout);
    return runAndReportFailure(processes, [&] {
      Experiment experiment = sharedExperiment(*processes, Experiment());
      if (own) takeFreeSettings(*own, experiment);
      configureCompute(chooseThreads(experiment.threads, together.launch));
      TrainingStart start =
          openStart(placedAt(experiment, together.launch), /*fresh=*/false, processes);
      auto unused = std::make_unique<UnusedFolder>();
      std::unique_ptr<TrainingSession> session(new TrainingSession);
      session->m_state->assemble(std::move(start.parts), RunFolder::create(unused->path()));
      session->m_state->unused = std::move(unused);
      session->m_state->launch = together.launch;
      session->m_state->share();
      return session;
    });
  });
}

bool TrainingSession::speaks() const {
  return !m_state->processes || m_state->processes->speaks();
}

const Experiment& TrainingSession::experiment() const {
  return m_state->experiment;
}
std::filesystem::path TrainingSession::folder() const {
  return m_state->folder->path();
}

Result<TrainingOutcome> TrainingSession::run(std::stop_token stop) {
  return guarded(folder().string(), [&]() -> Result<TrainingOutcome> {
    bool first = false;
    std::call_once(m_state->ran, [&] { first = true; });
    if (!first)
      return Error{ErrorCode::InvalidArgument, tr("this run was already run; resume it instead"),
                   folder().string()};
    // Thread counts belong to the calling thread.
    configureCompute(chooseThreads(m_state->experiment.threads, m_state->launch));
    const State::Ending ending{*m_state};
    TrainingOutcome outcome = m_state->trainer->run(stop);
    m_state->completeFromLog(outcome);
    return outcome;
  });
}

void TrainingSession::pause() {
  m_state->control.pause();
}
void TrainingSession::unpause() {
  m_state->control.unpause();
}

Result<void> TrainingSession::takesEdits(const Experiment& experiment) {
  return canEditMasks(experiment);
}

bool TrainingSession::submit(const MaskEdit& edit) {
  if (!m_state->ledger->submit(edit)) return false;
  m_state->control.poke();
  return true;
}

RunHistory TrainingSession::history() const {
  return readRunHistory(*m_state->folder, m_state->ledger->masks().shape().heads);
}

void TrainingSession::setWakeUp(std::function<void()> wakeUp) {
  m_state->control.setWakeUp(std::move(wakeUp));
}
TrainingUpdate TrainingSession::takeUpdate() {
  return m_state->control.takeUpdate();
}
MaskScheme TrainingSession::masks() const {
  return m_state->ledger->masks();
}
void TrainingSession::requestSnapshot() {
  m_state->control.requestSnapshot();
}

std::shared_ptr<const ModelSnapshot> TrainingSession::snapshot() const {
  const std::lock_guard lock(m_state->snapshotMutex);
  return m_state->snapshot;
}

Result<void> TrainingSession::saveSnapshot(const std::filesystem::path& path) const {
  const auto newest = snapshot();
  if (!newest)
    return Error{ErrorCode::InvalidArgument, tr("no weights of this run are shown yet"),
                 path.string()};
  return guarded(path.string(), [&] {
    valueOrThrow(
        writeSafetensors(path, newest->weights,
                         modelMetadata(newest->experiment, newest->masks, newest->classNames,
                                       newest->progress, newest->learned)));
  });
}

Result<void> TrainingSession::recreateFolder() {
  return guarded(m_state->place.string(), [&]() -> Result<void> {
    if (!m_state->ended)
      return Error{ErrorCode::InvalidArgument, tr("the run is still in progress"),
                   m_state->place.string()};
    m_state->trainer->saveAnew(RunFolder::create(m_state->place));
    return {};
  });
}

Experiment TrainingSession::exported() const {
  return m_state->ledger->exported();
}

}  // namespace headlight
