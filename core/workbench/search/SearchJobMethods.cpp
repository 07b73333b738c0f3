// SPDX-License-Identifier: GPL-3.0-or-later

// SearchJob.h: the methods: MaiT's rounds, heads by importance, random controls, hardened soft
// heads.

#include <algorithm>
#include <cmath>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/config/MasksJson.h"
#include "core/models/Registry.h"
#include "core/workbench/search/ComparedText.h"
#include "core/workbench/search/SearchJob.h"
#include "core/workbench/sweeps/SweepResults.h"
#include "core/workbench/training/HeldTraining.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

// --- MaiT's rounds -----------------------------------------------------------------------------

struct Round {
  std::string name;
  MaskScheme scheme;
  std::int64_t epochs = 0;
  fs::path weights;  ///< empty: as the experiment says
};

Experiment roundExperiment(const SearchJob& job, const Round& round) {
  Experiment experiment = job.plan().experiment;
  experiment.name += " " + round.name;
  experiment.masks = describeMasks(round.scheme);
  if (round.epochs > 0) experiment.training.epochs = round.epochs;
  if (!round.weights.empty()) experiment.training.weights = round.weights.string();
  return experiment;
}

void train(SearchJob& job, const Experiment& experiment, const OpenFolder& folder,
           const Round& round) {
  const HeldFolder held{folder, valueOrThrow(FolderLock::acquire(folder))};
  const auto begun = [&](bool resumed) {
    if (job.observer().begun) job.observer().begun(round.name, round.scheme, resumed);
  };
  const auto notify = [&](const TrainingUpdate& update) {
    if (job.observer().update) job.observer().update(update);
    Progress progress = update.progress;
    progress.stage = round.name + ": " + progress.stage;
    if (job.observer().progress) job.observer().progress(progress);
  };
  const TrainingOutcome outcome =
      valueOrThrow(trainHeld(experiment, held, {begun, notify}, job.stop()));
  if (outcome.state == TrainingState::Stopped)
    throw Failure({ErrorCode::Canceled, tr("stopped, checkpoint written; the same command resumes"),
                   folder.path().string()});
  markFinished(folder, outcome.steps);
}

/// The run's last checkpoint.
fs::path trained(SearchJob& job, const Round& round) {
  job.stopIfAsked();
  job.keep();
  const Experiment experiment = roundExperiment(job, round);
  const OpenFolder folder = valueOrThrow(job.folder().subfolder(round.name, /*make=*/true));
  if (!isFinished(folder)) train(job, experiment, folder, round);
  const RunResult result = imageResult(folder, experiment.training.epochs, "top1");
  job.report.rounds.push_back({round.name, round.scheme, result.best, result.last});
  return folder.pathOf("last.safetensors");
}

std::vector<std::vector<double>> localityAfter(SearchJob& job, const Round& round,
                                               const fs::path& weights) {
  ModelSource source;
  source.weights = weights;
  source.device = job.plan().experiment.device;
  source.threads = job.plan().experiment.threads;
  const auto session = valueOrThrow(InferenceSession::open(source));
  return job.heads(round.name, *session, round.scheme, HeadMetric::Locality);
}

/// Reports decisions as they are made.
MaskScheme applied(SearchJob& job, const SearchStep& step) {
  for (const SearchDecision& decision : step.decisions)
    job.decide(decision);
  return step.scheme;
}

// --- What is tried with the same weights -------------------------------------------------------

/// The weights say what model they are of; it must be the one that is searched for.
std::unique_ptr<InferenceSession> openTrained(const SearchJob& job) {
  const Experiment& experiment = job.plan().experiment;
  ModelSource source;
  source.weights = experiment.training.weights;
  source.device = experiment.device;
  source.threads = experiment.threads;
  if (source.weights.empty())
    throw Failure({ErrorCode::InvalidArgument,
                   tr("are needed for this method: it tries masks on a trained model"),
                   "training.weights"});
  auto session = valueOrThrow(InferenceSession::open(source));
  if (!sameArchitecture(session->info().experiment.model, experiment.model))
    throw Failure({ErrorCode::InvalidArgument, tr("belong to another model than the experiment's"),
                   source.weights.string()});
  return session;
}

MaskScheme givenScheme(const SearchJob& job) {
  return valueOrThrow(resolveMasks(job.plan().experiment.masks, job.shape()));
}

void note(SearchJob& job, const SearchTrial& trial) {
  job.report.trials.push_back(trial);
  if (job.observer().tried) job.observer().tried(trial);
}

/// What masking a head of each layer saves.
std::vector<std::int64_t> savingByLayer(const SearchJob& job) {
  const ModelConfig& model = job.plan().experiment.model;
  const HeadMask mask = valueOrThrow(headMaskFromText(job.plan().options.mask));
  const MaskScheme open(job.shape());
  std::vector<std::int64_t> saving;
  for (int layer = 0; layer < open.layers(); ++layer) {
    MaskScheme one = open;
    if (layer < open.maskableLayers()) one.set(layer, 0, mask);
    saving.push_back(job.report.unmaskedMacs - modelCost(model, one).macs);
  }
  return saving;
}

std::string placeText(const HeadPlace& place) {
  return std::to_string(place.layer) + ":" + std::to_string(place.head);
}

}  // namespace

void searchByLocality(SearchJob& job) {
  const SearchOptions& options = job.plan().options;
  const auto next = [&](const fs::path& weights) {
    return options.fromScratch ? fs::path() : weights;
  };
  const Round first{"1-initial",
                    initialScheme(job.shape(), valueOrThrow(headMaskFromText(options.mask))),
                    options.initialEpochs,
                    {}};
  const fs::path initial = trained(job, first);
  const MaskScheme assigned =
      applied(job, assignedScheme(first.scheme, localityAfter(job, first, initial), options));
  const Round second{"2-assigned", assigned, options.assignedEpochs, next(initial)};
  const fs::path settled = trained(job, second);
  job.report.scheme =
      applied(job, calibratedScheme(assigned, localityAfter(job, second, settled), options));
  if (options.finalEpochs > 0)
    trained(job, {"3-final", job.report.scheme, options.finalEpochs, next(settled)});
}

namespace {

/// `lost`: percentage points of top-1; `saved`: percent of the unmasked model's MACs.
std::string importanceReason(double importance, double lost, double saved) {
  char reason[240];
  std::snprintf(reason, sizeof reason,
                "importance %.4g (rise of the loss without the head); top-1 %.2f percentage points "
                "%s the start; %.2f %% of MACs saved",
                importance, std::abs(lost), lost < 0 ? "above" : "below", saved);
  return reason;
}

}  // namespace

void searchByImportance(SearchJob& job) {
  const SearchOptions& options = job.plan().options;
  const HeadMask mask = valueOrThrow(headMaskFromText(options.mask));
  const auto session = openTrained(job);
  MaskScheme& scheme = job.report.scheme = givenScheme(job);
  const auto importance =
      job.heads("importance", *session, scheme,
                options.firstOrder ? HeadMetric::ImportanceFirstOrder : HeadMetric::Importance);
  const SearchTrial start = job.tried(*session, "as given", scheme);
  note(job, start);
  const auto saved = [&](std::int64_t macs) {
    return 100 * (1 - static_cast<double>(macs) / static_cast<double>(job.report.unmaskedMacs));
  };
  for (const HeadPlace& place : leastImportantFirst(scheme, importance)) {
    MaskScheme masked = scheme;
    masked.setName("found");
    masked.set(place.layer, place.head, mask);
    SearchTrial trial = job.tried(*session, "head " + placeText(place), masked);
    const double lost = 100 * (start.top1 - trial.top1);
    trial.taken = lost <= options.accuracyLoss;
    note(job, trial);
    const double worth =
        importance[static_cast<std::size_t>(place.layer)][static_cast<std::size_t>(place.head)];
    job.decide({"greedy", place.layer, place.head, worth, trial.taken ? "mask" : "keep",
                importanceReason(worth, lost, saved(trial.macs))});
    if (!trial.taken) return;
    scheme = masked;
    if (saved(trial.macs) >= options.macSaving) return;
  }
}

void tryRandomSchemes(SearchJob& job) {
  const MaskScheme given = job.report.scheme = givenScheme(job);
  if (given.maskedHeads() == 0)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("masks no head, so there are no masks to distribute; give --masks"),
                   "masks"});
  const auto session = openTrained(job);
  note(job, job.tried(*session, "as given", given));
  note(job, job.tried(*session, "unmasked", MaskScheme(job.shape())));
  const auto saving = savingByLayer(job);
  for (std::int64_t i = 1; i <= job.plan().options.schemes; ++i) {
    const auto seed = static_cast<std::uint64_t>(job.plan().experiment.seed + i);
    MaskScheme dealt = dealtAmongEqual(given, saving, seed);
    dealt.setName("random " + std::to_string(i));
    note(job, job.tried(*session, dealt.name(), dealt));
    job.write("random-" + std::to_string(i) + ".json", maskFileText(dealt));
  }
}

namespace {

/// Hard where it was soft.
HeadMask hardened(const HeadMask& soft) {
  HeadMask mask{MaskKind::Hard, soft.window};
  mask.region = soft.region;
  return mask;
}

}  // namespace

void hardenSoftHeads(SearchJob& job) {
  const auto session = openTrained(job);
  const MaskScheme given = givenScheme(job);
  MaskScheme& scheme = job.report.scheme = given;
  scheme.setName("hardened");
  const SoftAlphas alphas = valueOrThrow(session->softAlphas(given));
  for (int layer = 0; layer < given.maskableLayers(); ++layer)
    for (int head = 0; head < given.heads(layer); ++head) {
      const HeadMask& soft = given.at(layer, head);
      if (soft.kind != MaskKind::Soft) continue;
      const double alpha = alphas[static_cast<std::size_t>(layer)][static_cast<std::size_t>(head)];
      const bool hard = alpha < job.plan().options.alphaBelow;
      if (hard) scheme.set(layer, head, hardened(soft));
      const double bound = job.plan().options.alphaBelow;
      job.decide({"harden", layer, head, alpha, hard ? "mask" : "keep",
                  "alpha " + comparedText(alpha, {bound}) +
                      (hard ? " is below " : " is not below ") + numberText(bound)});
    }
  if (job.report.decisions.empty())
    throw Failure({ErrorCode::InvalidArgument, tr("has no soft head to harden"), "masks"});
  note(job, job.tried(*session, "soft", given));
  note(job, job.tried(*session, "hardened", scheme));
}

}  // namespace headlight
