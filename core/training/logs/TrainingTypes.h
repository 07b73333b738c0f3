// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a run tells of itself, in plain types: core/workbench/training/TrainingSession.h hands them
// on.

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/Progress.h"
#include "core/config/Experiment.h"
#include "core/config/Tasks.h"

namespace headlight {

enum class TrainingState { Preparing, Running, Paused, Validating, Finished, Stopped, Failed };
std::string trainingStateName(TrainingState state);

struct StepPoint {
  std::int64_t step = 0;  ///< optimizer steps done
  double loss = 0;        ///< what is minimized: labels, teacher and auxiliary together
  double learningRate = 0;
  double imagesPerSecond = 0;
  std::optional<double> distillationLoss = {};  ///< before its share is taken; nothing: no teacher
  std::optional<double> auxiliaryLoss = {};     ///< of the mechanisms; nothing: they have none
  /// Before clipping, as a log has it; NaN: not read from one, or of a skipped step.
  double gradientNorm = std::numeric_limits<double>::quiet_NaN();
  bool skipped = false;  ///< in float16: its gradient was not finite, and nothing was changed
  /// Of a detector, with their weights (BoxLosses); nothing: it is none.
  std::optional<double> classLoss = {}, overlapLoss = {}, sideLoss = {};
  /// Of a segmenter, and classLoss, with their weights (SegmentLosses); nothing: it is none.
  std::optional<double> maskLoss = {}, diceLoss = {};
};
/// What the best weights of a run are chosen by, for people.
inline constexpr const char* kAccuracyName = "top-1";
inline constexpr const char* kPrecisionName = "AP";
inline constexpr const char* kMeanOverlapName = "mIoU";
inline constexpr const char* kRebuildName = "reconstruction";
/// Of a masked autoencoder, in (0, 1]: the lower its loss, the higher.
inline double rebuildQuality(double loss) {
  return 1 / (1 + loss);
}
/// What is measured of predictions: its name in files ("ap50") and for people ("AP50").
struct ScoreName {
  const char* key;
  const char* name;
};
/// Of models that learn `task`, in the order of tables; the first is what the best weights are
/// chosen by.
const std::vector<ScoreName>& scoreNames(Task task);
/// In files, of what is called so for people: "ap" of "AP"; of an unknown name "top1".
std::string scoreKey(const std::string& name);
/// A measure of predictions: its name in files ("ap50"), for people ("AP50"), its value in [0, 1].
struct NamedScore {
  const char* key;
  const char* name;
  double value;
};
struct EpochPoint {
  std::int64_t epoch = 0;  ///< epochs done
  std::int64_t step = 0;
  double trainLoss = 0;
  double validationLoss = 0;
  double top1 = 0;  ///< in [0, 1]; 0 of what classifies no images
  double top5 = 0;
  bool best = false;  ///< the best quality() so far
  /// Of a detector, in [0, 1]: COCO's AP, AP50 and AP75; nothing: it is none.
  std::optional<double> ap = {}, ap50 = {}, ap75 = {};
  /// Of a segmenter, in [0, 1]: mIoU, mAcc and pAcc; nothing: it is none.
  std::optional<double> miou = {}, macc = {}, pacc = {};
  std::optional<double> rebuilt = {};  ///< of a masked autoencoder: rebuildQuality()

  /// What the best weights are chosen by: the first of scores().
  double quality() const { return rebuilt.value_or(miou.value_or(ap.value_or(top1))); }
  const char* qualityName() const;
  /// Those of the model's task (scoreNames).
  std::vector<NamedScore> scores() const;
};
/// Numbers that a mechanism finds worth watching, by name ("nonzeros").
using Readings = std::vector<std::pair<std::string, double>>;
/// ALS and α by layer and head, measured on the probe images.
struct HeadPoint {
  std::int64_t step = 0;
  std::vector<std::vector<float>> locality;  ///< [layer][head]
  std::vector<std::vector<float>> alpha;     ///< [layer][head]; NaN where not soft
  std::vector<Readings> readings;            ///< [layer], means over the images; mostly empty
  std::int64_t images = 0;                   ///< the probe images
};
/// A list with an object a layer, {"nonzeros": 0.1}; empty where no layer has a reading.
Json readingsToJson(const std::vector<Readings>& layers);
/// IBiT's Algorithm 1, as it went before the first step: how near the product 𝒜ℬᵀ of the sub-masks
/// of learned masks came to the filter that they start as.
struct MaskFit {
  std::string file;            ///< its name in the run's folder
  std::vector<int> layers;     ///< whose masks start from it
  std::vector<double> errors;  ///< mean squared error at the start and after every step
};
struct AppliedEdit {
  std::int64_t step = 0;  ///< took effect before this optimizer step
  MaskEdit edit;
};

/// How long an epoch took, its validation included; of one that was resumed within, since then.
struct EpochTime {
  std::int64_t epoch = 0;  ///< epochs done when it had ended
  double seconds = 0;
};

/// What a run's folder says of its steps so far; of a long run, every second, fourth, … step and
/// measurement. Steps do not decrease.
struct RunHistory {
  /// Validation of the weights that the run began with, in step and epoch 0, without a training
  /// loss; nothing in runs of programs that did not measure it.
  std::optional<EpochPoint> start;
  std::vector<StepPoint> steps;
  std::vector<EpochPoint> epochPoints;
  std::vector<HeadPoint> heads;
  std::vector<AppliedEdit> edits;
  std::vector<EpochTime> times;  ///< of metrics.csv; only where a run is followed
  bool empty() const {
    return !start && steps.empty() && epochPoints.empty() && heads.empty() && edits.empty() &&
           times.empty();
  }
};

/// Everything new since the last takeUpdate(). Of a run that nobody asks for a long time, step and
/// head points are thinned.
struct TrainingUpdate {
  TrainingState state = TrainingState::Preparing;
  std::string message;  ///< of a failure, or what is being prepared
  Progress progress;    ///< steps of the whole run, with the remaining time
  std::int64_t epoch = 0, epochs = 0;
  std::optional<EpochPoint> start;  ///< once, before the first step: RunHistory::start
  std::vector<StepPoint> steps;
  std::vector<EpochPoint> epochPoints;
  std::vector<HeadPoint> heads;
  std::vector<AppliedEdit> edits;
  std::vector<MaskFit> maskFits;      ///< once, before the first step
  std::vector<std::string> warnings;  ///< skipped files and the like
};

struct TrainingOutcome {
  TrainingState state = TrainingState::Finished;  ///< Finished or Stopped
  std::int64_t steps = 0;
  std::string scoreName = kAccuracyName;  ///< what the following are: EpochPoint::quality()
  double bestScore = 0;
  /// Of the start weights and of the last validation; nothing: not measured.
  std::optional<double> startScore, lastScore;
  std::filesystem::path last, best;  ///< checkpoints; `best` is empty before the first epoch's end
};

struct EvaluationResult {
  std::int64_t images = 0;
  double loss = 0, top1 = 0, top5 = 0;
  double imagesPerSecond = 0;
  std::int64_t skipped = 0;
  std::optional<double> ap = {}, ap50 = {}, ap75 = {};    ///< as EpochPoint's
  std::optional<double> miou = {}, macc = {}, pacc = {};  ///< likewise
  std::optional<double> rebuilt = {};                     ///< likewise

  double quality() const { return rebuilt.value_or(miou.value_or(ap.value_or(top1))); }
  const char* qualityName() const;
  std::vector<NamedScore> scores() const;  ///< as EpochPoint's
};

}  // namespace headlight
