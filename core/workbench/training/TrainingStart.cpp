// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/training/TrainingStart.h"

#include <algorithm>
#include <optional>

#include "core/base/Translation.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/models/Registry.h"
#include "core/models/layers/Device.h"
#include "core/models/layers/Precision.h"
#include "core/training/run/ModelFile.h"
#include "core/workbench/loading/LearnedAlphas.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/loading/OlderRules.h"
#include "core/workbench/loading/StartingHead.h"
#include "core/workbench/loading/Weights.h"
#include "core/workbench/session/Datasets.h"
#include "core/workbench/session/Images.h"
#include "core/workbench/training/DistributedContext.h"
#include "core/workbench/training/ExperimentPaths.h"
#include "core/workbench/training/TrainingTeacher.h"

namespace headlight {
namespace {

std::shared_ptr<const Dataset> openSplit(const Experiment& experiment, Split split) {
  return valueOrThrow(openDataset(
      makeDatasetSpec(experiment.data, experiment.model.imageSize, experiment.seed), split));
}

/// Opens the data and gives the model as many classes as the data has. `notes` gets what is to be
/// said of the data and the teacher.
TrainerParts openParts(Experiment experiment, std::vector<std::string>& notes) {
  makePathsAbsolute(experiment);
  TrainerParts parts;
  parts.train = openSplit(experiment, Split::Train);
  parts.validation = openSplit(experiment, Split::Validation);
  notes = describeSplits(*parts.train, *parts.validation);
  experiment.model.classes = static_cast<int>(parts.train->classNames().size());
  parts.preprocessing = makePreprocessing(experiment.model);
  parts.device = deviceFromConfig(experiment.device);
  requirePrecision(precisionFromConfig(experiment.training.precision), parts.device);
  OpenedTeacher opened = openTeacher(experiment, parts.train->classNames(), parts.device.str());
  parts.teacher = std::move(opened.teacher);
  parts.teacherFingerprint = std::move(opened.fingerprint);
  notes.insert(notes.end(), opened.notes.begin(), opened.notes.end());
  parts.model = makeModel(experiment.model, static_cast<std::uint64_t>(experiment.seed));
  experiment.model = parts.model->config();  // with every option of mechanism and backbone
  parts.model->setRecomputing(experiment.training.checkpointBlocks);
  parts.model->to(parts.device);
  parts.model->setMasks(valueOrThrow(resolveMasks(experiment.masks, parts.model->masks().shape())));
  parts.experiment = std::move(experiment);
  return parts;
}

/// The config's own weights, if it has any. `notes` gets what is to be said about them, if not all
/// fit; `fits` is emptied where they bring learned masks, which then do not start from a fit.
void loadStart(const TrainerParts& parts, std::vector<std::string>& notes,
               std::vector<MaskFit>& fits) {
  const std::string& path = parts.experiment.training.weights;
  if (path.empty()) return;
  auto checkpoint = readWeights(path);
  const std::string aboutHead = fitHead(checkpoint, path, parts.train->classNames());
  const LoadPlan plan = planFor(*parts.model, checkpoint, {}, path);
  requireStart(plan.report, path);
  auto learned = learnedAlphasIn(checkpoint, path);
  if (parts.experiment.training.resetAlpha) learned.emplace();
  applyWeights(*parts.model, plan, learned);
  // Which of a file's models it was, and what is left aside.
  for (const std::string& note : checkpoint.notes)
    if (!checkpoint.choices.empty()) notes.push_back("starting weights: " + note);
  if (!plan.report.complete()) notes.push_back("starting weights: " + plan.report.summary());
  if (!aboutHead.empty()) notes.push_back("starting weights: " + aboutHead);
  const auto& matched = plan.report.matched;
  if (std::any_of(matched.begin(), matched.end(),
                  [&](const std::string& name) { return parts.model->isFitted(name); }))
    fits.clear();
}

/// For a Dataset::stamp what does not depend on when files were copied.
std::string contentOf(const std::string& stamp) {
  return stamp.substr(0, stamp.find('-'));
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
  return start;
}

}  // namespace headlight
