#include "core/workbench/TrainingSession.h"

#include <ATen/Functions.h>

#include <mutex>

#include "core/base/Files.h"
#include "core/base/Log.h"
#include "core/models/Device.h"
#include "core/models/Registry.h"
#include "core/training/ModelFile.h"
#include "core/training/Trainer.h"
#include "core/workbench/Datasets.h"
#include "core/workbench/ExperimentPaths.h"
#include "core/workbench/LoadedModel.h"
#include "core/workbench/ModelSnapshot.h"
#include "core/workbench/Pictures.h"
#include "core/workbench/TrainingTeacher.h"

namespace headlight {
namespace {

std::shared_ptr<const Dataset> openSplit(const Experiment& experiment, Split split) {
  return valueOrThrow(openDataset(
      datasetSpecOf(experiment.data, experiment.model.imageSize, experiment.seed), split));
}

/// Opens the data and gives the model as many classes as the data has. `notes` gets what is to be
/// said of the teacher.
TrainerParts openParts(Experiment experiment, std::vector<std::string>& notes) {
  makePathsAbsolute(experiment);
  TrainerParts parts;
  parts.train = openSplit(experiment, Split::Train);
  parts.validation = openSplit(experiment, Split::Validation);
  experiment.model.classes = static_cast<int>(parts.train->classNames().size());
  parts.preprocessing = preprocessingOf(experiment.model);
  parts.device = deviceFromConfig(experiment.device);
  OpenedTeacher opened = openTeacher(experiment, parts.train->classNames(), parts.device.str());
  parts.teacher = std::move(opened.teacher);
  parts.teacherFingerprint = std::move(opened.fingerprint);
  notes.insert(notes.end(), opened.notes.begin(), opened.notes.end());
  parts.model = makeModel(experiment.model, static_cast<std::uint64_t>(experiment.seed));
  experiment.model = parts.model->config();  // with every option of mechanism and backbone
  parts.model->to(parts.device);
  parts.model->setMasks(valueOrThrow(resolveMasks(experiment.masks, parts.model->masks().shape())));
  parts.experiment = std::move(experiment);
  return parts;
}

/// The config's own weights. `notes` gets what is to be said about them, if not all fit.
void loadStart(const TrainerParts& parts, std::vector<std::string>& notes) {
  const std::string& path = parts.experiment.training.weights;
  const auto checkpoint = weightsOf(valueOrThrow(readCheckpoint(path)));
  const LoadPlan plan = planFor(*parts.model, checkpoint);
  if (plan.report.matched.empty() && plan.report.resized.empty())
    throw Failure({ErrorCode::InvalidFile,
                   "nothing in it fits the model (" + plan.report.summary() +
                       "); choose other training.weights or another model",
                   path});
  valueOrThrow(applyLoad(parts.model->state(), plan));
  if (!plan.report.complete()) notes.push_back("starting weights: " + plan.report.summary());
}

/// Edits whose cells do not exist would fail in the middle of a run.
void checkEdits(const Experiment& experiment, MaskScheme scheme) {
  for (const ScheduledEdit& scheduled : experiment.edits)
    valueOrThrow(applyMaskEdit(scheme, scheduled.edit));
}

/// All that a run starts from.
TrainerParts openStart(const Experiment& experiment, std::vector<std::string>& notes) {
  TrainerParts parts = openParts(experiment, notes);
  checkEdits(parts.experiment, parts.model->masks());
  if (!parts.experiment.training.weights.empty()) loadStart(parts, notes);
  return parts;
}

}  // namespace

struct TrainingSession::State {
  Experiment experiment;
  std::filesystem::path folder;
  std::vector<std::string> classNames;
  RunControl control;
  std::unique_ptr<EditLedger> ledger;
  std::unique_ptr<Trainer> trainer;
  std::once_flag ran;

  mutable std::mutex snapshotMutex;
  std::shared_ptr<const ModelSnapshot> snapshot;

  void assemble(TrainerParts parts, RunFolder runFolder) {
    experiment = parts.experiment;
    folder = runFolder.path();
    classNames = parts.train->classNames();
    ledger = std::make_unique<EditLedger>(experiment, parts.model->masks());
    const auto model = parts.model;
    trainer = std::make_unique<Trainer>(std::move(parts), std::move(runFolder), control, *ledger);
    trainer->setSnapshotSink(
        [this, model](const NamedTensors& state, std::int64_t step) {
          takeSnapshot(state, step, model->progress());
        });
  }

  void warn(const std::vector<std::string>& notes) {
    if (notes.empty()) return;
    control.publish([&](TrainingUpdate& update) {
      update.warnings.insert(update.warnings.end(), notes.begin(), notes.end());
    });
  }

  void takeSnapshot(const NamedTensors& state, std::int64_t step, double progress) {
    auto taken = std::make_shared<ModelSnapshot>();
    for (const auto& [name, tensor] : state)
      taken->weights.emplace_back(name, tensor.detach().to(at::kCPU, /*non_blocking=*/false,
                                                           /*copy=*/true));
    taken->experiment = ledger->exported();
    taken->masks = ledger->masks();
    taken->classNames = classNames;
    taken->step = step;
    taken->progress = progress;
    {
      const std::lock_guard lock(snapshotMutex);
      snapshot = std::move(taken);
    }
    control.publish([](TrainingUpdate&) {});
  }
};

TrainingSession::TrainingSession() : m_state(std::make_unique<State>()) {}
TrainingSession::~TrainingSession() = default;

Result<std::unique_ptr<TrainingSession>> TrainingSession::begin(
    const Experiment& experiment, const std::filesystem::path& folder) {
  return guarded(folder.string(), [&] {
    configureCompute(experiment.threads);
    std::vector<std::string> notes;
    TrainerParts parts = openStart(experiment, notes);
    RunFolder runFolder = RunFolder::create(std::filesystem::absolute(folder).lexically_normal());
    valueOrThrow(runFolder.writeConfig(parts.experiment));
    std::unique_ptr<TrainingSession> session(new TrainingSession);
    session->m_state->assemble(std::move(parts), std::move(runFolder));
    session->m_state->warn(notes);
    return session;
  });
}

Result<void> TrainingSession::check(const Experiment& experiment) {
  return guarded("training", [&] {
    std::vector<std::string> notes;
    openStart(experiment, notes);
  });
}

Result<std::unique_ptr<TrainingSession>> TrainingSession::resume(
    const std::filesystem::path& folder) {
  return guarded(folder.string(), [&] {
    RunFolder runFolder = RunFolder::open(std::filesystem::absolute(folder).lexically_normal());
    std::optional<TrainingCheckpoint> saved;
    if (runFolder.hasLast()) saved = valueOrThrow(readTrainingCheckpoint(runFolder.last()));
    const Experiment experiment =
        saved ? saved->experiment
              : valueOrThrow(readExperiment(runFolder.config(), modelCatalogue()));
    configureCompute(experiment.threads);
    std::vector<std::string> notes;
    TrainerParts parts = openParts(experiment, notes);
    checkEdits(parts.experiment, parts.model->masks());
    if (!saved && !parts.experiment.training.weights.empty()) loadStart(parts, notes);
    std::unique_ptr<TrainingSession> session(new TrainingSession);
    session->m_state->assemble(std::move(parts), std::move(runFolder));
    if (saved)
      session->m_state->trainer->restore(*saved);
    else
      session->m_state->trainer->restart();
    session->m_state->warn(notes);
    return session;
  });
}

const Experiment& TrainingSession::experiment() const {
  return m_state->experiment;
}
const std::filesystem::path& TrainingSession::folder() const {
  return m_state->folder;
}

Result<TrainingOutcome> TrainingSession::run(std::stop_token stop) {
  return guarded(m_state->folder.string(), [&]() -> Result<TrainingOutcome> {
    bool first = false;
    std::call_once(m_state->ran, [&] { first = true; });
    if (!first)
      return Error{ErrorCode::InvalidArgument, "this run was run already; resume it instead",
                   m_state->folder.string()};
    configureCompute(m_state->experiment.threads);  // thread counts belong to the calling thread
    return m_state->trainer->run(stop);
  });
}

void TrainingSession::pause() {
  m_state->control.pause();
}
void TrainingSession::unpause() {
  m_state->control.unpause();
}

bool TrainingSession::submit(const MaskEdit& edit) {
  if (!m_state->ledger->submit(edit)) return false;
  m_state->control.poke();
  return true;
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

Experiment TrainingSession::exported() const {
  return m_state->ledger->exported();
}

}  // namespace headlight
