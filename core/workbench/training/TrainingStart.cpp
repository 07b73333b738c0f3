// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/training/TrainingStart.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <optional>

#include "core/base/Translation.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/config/DataTask.h"
#include "core/data/boxes/BatchSide.h"
#include "core/models/Registry.h"
#include "core/models/layers/Device.h"
#include "core/models/layers/Precision.h"
#include "core/training/run/ModelFile.h"
#include "core/training/run/TaskChecks.h"
#include "core/training/step/EvaluationMode.h"
#include "core/training/tuning/Adapters.h"
#include "core/training/tuning/FrozenParts.h"
#include "core/workbench/loading/LearnedAlphas.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/loading/OlderRules.h"
#include "core/workbench/loading/StartingHead.h"
#include "core/workbench/loading/Weights.h"
#include "core/workbench/session/Datasets.h"
#include "core/workbench/session/Images.h"
#include "core/workbench/training/DistributedContext.h"
#include "core/workbench/training/ExperimentPaths.h"
#include "core/workbench/training/PretrainedStart.h"
#include "core/workbench/training/TeacherFile.h"
#include "core/workbench/training/TrainingTeacher.h"

namespace headlight {
namespace {

std::shared_ptr<const Dataset> openSplit(const Experiment& experiment, Split split) {
  return valueOrThrow(openDataset(
      makeDatasetSpec(experiment.data, experiment.model.imageSize, experiment.seed), split));
}

/// That masks and mechanism take images of the sides at which batches will come. Throws Failure.
void requireSides(Model& model, const std::vector<int>& sides, at::Device device) {
  const at::NoGradGuard noGrad;
  const EvaluationMode mode(model);
  for (const int side : {sides.front(), sides.back()})
    model.forward(at::zeros({1, 3, side, side}, at::TensorOptions(device)));
}

/// The teacher, or its file.
void openTeachers(const Experiment& experiment, TrainerParts& parts,
                  std::vector<std::string>& notes) {
  if (usesTeacherFile(experiment)) {
    OpenedTeacherFile file = openTeacherFile(experiment, *parts.train);
    parts.teacherRows = std::move(file.rows);
    parts.teacherFingerprint = std::move(file.fingerprint);
    notes.insert(notes.end(), file.notes.begin(), file.notes.end());
    return;
  }
  OpenedTeacher opened = openTeacher(experiment, parts.train->classNames(), parts.device.str());
  parts.teacher = std::move(opened.teacher);
  parts.teacherFingerprint = std::move(opened.fingerprint);
  notes.insert(notes.end(), opened.notes.begin(), opened.notes.end());
}

/// Opens the data and gives the model as many classes as the data has. `notes` gets what is to be
/// said of the data and the teacher.
TrainerParts openParts(Experiment experiment, std::vector<std::string>& notes) {
  checkTraining(experiment, taskOf(experiment.model), dataTask(experiment.data.dataset));
  makePathsAbsolute(experiment);
  TrainerParts parts;
  parts.train = openSplit(experiment, Split::Train);
  parts.validation = openSplit(experiment, Split::Validation);
  notes = describeSplits(*parts.train, *parts.validation);
  const bool rebuilds = taskOf(experiment.model) == Task::Rebuild;
  experiment.model.classes = rebuilds ? 0 : static_cast<int>(parts.train->classNames().size());
  parts.preprocessing = makePreprocessing(experiment.model);
  parts.device = deviceFromConfig(experiment.device);
  requirePrecision(precisionFromConfig(experiment.training.precision), parts.device);
  openTeachers(experiment, parts, notes);
  parts.model = makeModel(experiment.model, static_cast<std::uint64_t>(experiment.seed));
  experiment.model = parts.model->config();  // with every option of mechanism and backbone
  parts.model->setRecomputing(experiment.training.checkpointBlocks);
  parts.model->to(parts.device);
  parts.model->setMasks(valueOrThrow(resolveMasks(experiment.masks, parts.model->masks().shape())));
  if (experiment.data.augment && experiment.data.multiScale && parts.train->hasBoxes())
    requireSides(*parts.model, batchSides(experiment.model.imageSize), parts.device);
  if (experiment.training.distillation == "features")
    requireSameFeatures(*parts.model, *parts.teacherRows, parts.device);
  parts.experiment = std::move(experiment);
  return parts;
}

/// Where the head is of other classes, which planLoad() leaves as it is.
std::string newHeadNote(const LoadReport& report) {
  for (const LoadReport::Mismatch& other : report.mismatched)
    if (other.name.starts_with("head.") && !other.file.empty() && !other.model.empty() &&
        other.file.front() != other.model.front())
      return tr("a new head is trained: they have ") + std::to_string(other.file.front()) +
             tr(" classes, the data has ") + std::to_string(other.model.front());
  return {};
}

/// The config's own weights, if it has any. `notes` gets what is to be said about them, if not all
/// fit; `fits` is emptied where they bring learned masks, which then do not start from a fit.
void loadStart(const TrainerParts& parts, std::vector<std::string>& notes,
               std::vector<MaskFit>& fits) {
  const std::string& path = parts.experiment.training.weights;
  if (path.empty()) return;
  auto checkpoint = readWeights(path);
  std::string aboutHead;
  if (parts.experiment.training.keepClasses)
    aboutHead = keepClasses(checkpoint, path, parts.train->classNames(), parts.model->state());
  if (aboutHead.empty()) aboutHead = fitHead(checkpoint, path, parts.train->classNames());
  const PretrainedFit pretrained = fitPretrained(checkpoint, *parts.model);
  const LoadPlan plan = planFor(*parts.model, checkpoint, {}, path);
  requireStart(pretrained.below ? reportOfBackbone(plan.report) : plan.report, path);
  auto learned = learnedAlphasIn(checkpoint, path);
  if (parts.experiment.training.resetAlpha) learned.emplace();
  applyWeights(*parts.model, plan, learned);
  // Which of a file's models it was, and what is left aside.
  for (const std::string& note : checkpoint.notes)
    if (!checkpoint.choices.empty()) notes.push_back("starting weights: " + note);
  if (!plan.report.complete()) notes.push_back("starting weights: " + plan.report.summary());
  for (const std::string& note : pretrained.notes)
    notes.push_back("starting weights: " + note);
  if (aboutHead.empty()) aboutHead = newHeadNote(plan.report);
  if (!aboutHead.empty()) notes.push_back("starting weights: " + aboutHead);
  const auto& matched = plan.report.matched;
  if (std::any_of(matched.begin(), matched.end(),
                  [&](const std::string& name) { return parts.model->isFitted(name); }))
    fits.clear();
}

/// What the data of all processes must have in common.
std::string fingerprintOf(const TrainerParts& parts) {
  return Json{parts.train->size(), parts.validation->size(), parts.train->classNames(),
              contentOf(parts.train->stamp()), contentOf(parts.validation->stamp())}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Edits whose cells do not exist would fail in the middle of a run.
void checkEdits(const Experiment& experiment, MaskScheme scheme) {
  for (const ScheduledEdit& scheduled : experiment.edits)
    valueOrThrow(applyMaskEdit(scheme, scheduled.edit));
}

}  // namespace

void requireStart(const LoadReport& report, const std::string& path) {
  if (report.matched.empty() && report.resized.empty() && report.taken.empty())
    throw Failure({ErrorCode::InvalidFile,
                   tr("no tensor in it fits the model (") + report.summary() +
                       tr("); choose other training.weights or another model"),
                   path});
  const LoadReport::Share share = report.bodyShare();
  if (share.value() >= kLeastStart) return;
  throw Failure(
      {ErrorCode::InvalidFile,
       tr("fits only ") + std::to_string(share.filled) + tr(" of the model's ") +
           std::to_string(share.all) +
           tr(" tensors, not counting head and position tables; at least half must fit. Choose the "
              "weights of this model, or the model that these weights belong to (") +
           report.summary() + ")",
       path});
}

TrainingStart openStart(const Experiment& experiment, bool fresh,
                        const std::shared_ptr<Processes>& processes) {
  TrainingStart start;
  start.parts = openParts(experiment, start.notes);
  start.parts.processes = processes;
  if (processes) requireSame(*processes, "images", fingerprintOf(start.parts));
  for (std::string& rule : listOlderRules(start.parts.experiment.model))
    start.notes.push_back(std::move(rule));
  checkEdits(start.parts.experiment, start.parts.model->masks());
  start.maskFits = fitMasks(*start.parts.model);
  if (fresh) loadStart(start.parts, start.notes, start.maskFits);
  attachAdapters(*start.parts.model, start.parts.experiment.training,
                 static_cast<std::uint64_t>(start.parts.experiment.seed));
  freezeParts(*start.parts.model, start.parts.experiment.training,
              start.parts.experiment.training.headEpochs > 0);  // so that it is refused here
  return start;
}

}  // namespace headlight
