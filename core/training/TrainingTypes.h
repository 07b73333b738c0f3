#pragma once
// What a run tells of itself, in plain types: core/workbench/TrainingSession.h hands them on.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/config/Experiment.h"

namespace headlight {

enum class TrainingState { Preparing, Running, Paused, Validating, Finished, Stopped, Failed };
std::string trainingStateName(TrainingState state);

struct StepPoint {
  std::int64_t step = 0;  ///< optimiser steps done
  double loss = 0;
  double learningRate = 0;
  double imagesPerSecond = 0;
};
struct EpochPoint {
  std::int64_t epoch = 0;  ///< epochs done
  std::int64_t step = 0;
  double trainLoss = 0;
  double validationLoss = 0;
  double top1 = 0;  ///< in [0, 1]
  double top5 = 0;
  bool best = false;  ///< the best top-1 so far
};
/// ALS and α by layer and head, measured on the probe images.
struct HeadPoint {
  std::int64_t step = 0;
  std::vector<std::vector<float>> locality;  ///< [layer][head]
  std::vector<std::vector<float>> alpha;     ///< [layer][head]; NaN where not soft
};
struct AppliedEdit {
  std::int64_t step = 0;  ///< took effect before this optimiser step
  MaskEdit edit;
};

/// Everything new since the last takeUpdate(). Of a run that nobody asks for a long time, step and
/// head points are thinned.
struct TrainingUpdate {
  TrainingState state = TrainingState::Preparing;
  std::string message;  ///< of a failure, or what is being prepared
  Progress progress;    ///< steps of the whole run, with the remaining time
  std::int64_t epoch = 0, epochs = 0;
  std::vector<StepPoint> steps;
  std::vector<EpochPoint> epochPoints;
  std::vector<HeadPoint> heads;
  std::vector<AppliedEdit> edits;
  std::vector<std::string> warnings;  ///< skipped files and the like
};

struct TrainingOutcome {
  TrainingState state = TrainingState::Finished;  ///< Finished or Stopped
  std::int64_t steps = 0;
  double bestTop1 = 0;
  std::filesystem::path last, best;  ///< checkpoints; `best` is empty before the first epoch's end
};

struct EvaluationResult {
  std::int64_t images = 0;
  double loss = 0, top1 = 0, top5 = 0;
  double imagesPerSecond = 0;
  std::int64_t skipped = 0;
};

}  // namespace headlight
