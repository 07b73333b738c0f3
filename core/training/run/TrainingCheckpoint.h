// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// last.safetensors: everything that resuming needs, in one file that is replaced at once. Weights
// stand under timm's names, so the file opens like any other; beside them optimizer.* and ema.*.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/checkpoint/Checkpoint.h"
#include "core/config/Experiment.h"
#include "core/masks/LearnedAlpha.h"
#include "core/training/run/PendingFiles.h"
#include "core/training/step/LossScale.h"

namespace headlight {

/// How far a run is, and the sums that are open in its epoch.
struct TrainingPosition {
  std::int64_t step = 0;   ///< optimizer steps done
  std::int64_t epoch = 0;  ///< epochs done, validation included
  std::int64_t batch = 0;  ///< of this epoch, the first that was not trained on
  double bestScore = -1;   ///< negative: none yet
  double lossSum = 0;      ///< over the steps of this epoch
  std::int64_t lossSteps = 0;
};

struct TrainingCheckpoint {
  Experiment experiment;         ///< with every edit
  std::size_t editsApplied = 0;  ///< of experiment.edits, how many are in force
  MaskScheme masks;              ///< in force; for writing only
  std::vector<std::string> classNames;
  std::int64_t trainImages = 0, validationImages = 0;  ///< of the datasets, to notice a change
  /// For the teacher's files, to notice others; empty where there are none, and in files of before
  /// this was written down.
  std::string teacherFingerprint;
  std::string trainStamp, validationStamp;  ///< of the data's files (Dataset::stamp)
  Json computedWith;                        ///< RuntimeEnvironment.h; null in files of before it
  std::string run;                          ///< id; empty in files of before runs had one
  std::vector<OwedFile> owed;               ///< that are still to be written
  std::map<std::string, std::string> unwritten;  ///< lines of logs, by the file they belong to
  std::map<std::string, std::string> maps;       ///< EvolutionLog::unwritten()
  TrainingPosition position;
  std::optional<LossScaleState> lossScale;  ///< of a run in float16
  double progress = 1;                      ///< Model::progress()
  std::vector<LearnedAlpha> learned;        ///< Model::learnedAlphas(); of older files empty
  NamedTensors weights;                     ///< parameters and buffers
  NamedTensors optimizer;                   ///< names without prefix
  NamedTensors average;                     ///< names without prefix; empty without EMA
};

/// As it is written, and back. `where` names it in errors (InvalidFile), which are thrown.
Checkpoint packed(const TrainingCheckpoint& checkpoint);
TrainingCheckpoint unpacked(Checkpoint file, const std::string& where);

Result<void> writeTrainingCheckpoint(const OpenFolder& folder, const std::string& name,
                                     const TrainingCheckpoint& checkpoint);
/// Errors: InvalidFile for a file that is damaged or is not a training checkpoint.
Result<TrainingCheckpoint> readTrainingCheckpoint(const OpenFolder& folder,
                                                  const std::string& name);

/// The optimizer steps that one was written after, from its header alone. Errors as above.
Result<std::int64_t> readCheckpointStep(const OpenFolder& folder, const std::string& name);

/// Under this key the metadata of weights that a run keeps (best, epochs) have their step.
inline constexpr const char* kStepKey = "step";
/// The step that the weights of a run were saved after: of last.safetensors or of those that it
/// keeps; nothing where the metadata do not say it.
std::optional<std::int64_t> readSavedStep(const std::map<std::string, std::string>& metadata);

/// Copies `values` into `model` (Model::state()), which must have the same names, shapes and dtypes
/// and no others. Throws Failure(InvalidFile).
void copyExactly(const NamedTensors& model, const NamedTensors& values, const std::string& where);

}  // namespace headlight
