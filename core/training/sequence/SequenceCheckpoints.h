// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the folder of a sequence model's run keeps: its logs, its best weights, and the checkpoints
// that it goes on from.

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/Result.h"
#include "core/data/Sequences.h"
#include "core/processes/Processes.h"
#include "core/training/run/PendingWrites.h"
#include "core/training/run/RunFolder.h"
#include "core/training/sequence/SequenceFile.h"
#include "core/training/sequence/SequenceLog.h"
#include "core/training/sequence/SequenceTypes.h"
#include "core/training/step/AdamW.h"
#include "core/training/step/WeightAverage.h"

namespace headlight {

struct SequenceTrainerParts {
  SequenceExperiment experiment;
  std::shared_ptr<SequenceModel> model;  ///< on `device`, with the weights to begin with
  std::shared_ptr<const SequenceSource> train, validation;
  at::Device device = at::kCPU;
  std::string run;  ///< its id; empty: of before runs had one
  /// That train together: each with these parts, in the same state (SequenceTrainer::share).
  /// Process 0 alone writes. Null: this one alone.
  std::shared_ptr<Processes> processes;
};

/// A training that goes on. All of it must outlive SequenceCheckpoints.
struct SequenceContext {
  const SequenceTrainerParts& parts;
  AdamW& optimizer;
  WeightAverage& average;
  SequencePosition& at;
};

/// Of a run that another process writes down nothing is written, and all is as if it had been.
class SequenceCheckpoints {
 public:
  SequenceCheckpoints(const SequenceContext& on, RunFolder folder);

  const RunFolder& folder() const { return m_folder; }
  /// The step that last.safetensors holds; −1: there is none.
  std::int64_t savedStep() const { return m_saved; }

  /// Goes on from `saved`: model, optimizer, position and logs. Throws Failure(InvalidFile).
  void restore(const SequenceFile& saved);
  /// A folder that has logs without a checkpoint begins anew.
  void restart();

  void log(const SequenceStepMetrics& metrics) {
    if (!m_silent) m_debts.noteLog(m_log.step(metrics));
  }
  void log(const SequenceValidation& done) {
    if (!m_silent) m_debts.noteLog(m_log.validation(done));
  }
  /// The weights as they are in the model, as the best of the run.
  void saveBest();

  /// With all that a run goes on from, or the weights alone.
  SequenceFile file(bool withTraining) const;
  /// Where training.checkpoint_steps have passed since the newest try.
  void saveIfDue();
  /// Weights are kept only beside a checkpoint: where there are some and it is missing, it was
  /// lost. The one that follows the validation is due as before.
  void saveBeforeTheFirst();
  /// At the end of a run: throws Failure where the last checkpoint could not be written, or, of a
  /// run that finished, anything else.
  void complete(bool finished);

  /// Throws Failure: a folder that was deleted takes the run with it.
  void requireFolder() const;
  /// Data that cannot be read end the run, with a checkpoint.
  [[noreturn]] void failOnData(const Error& error);

 private:
  void save();
  Result<void> saveLast();
  Result<void> writeLast();

  void reportChanges(const SequenceFile& saved) const;

  SequenceContext m_on;
  bool m_silent;
  RunFolder m_folder;
  SequenceLog m_log;
  PendingWrites m_debts;
  std::string m_stamp;        ///< of the training data
  std::int64_t m_tried = 0;   ///< the step of the last attempt to save
  std::int64_t m_saved = -1;  ///< the step that last.safetensors holds
  std::int64_t m_savedValidation = -1;
};

}  // namespace headlight
