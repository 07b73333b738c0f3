// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The loop: epochs, step boundaries (mask edits, pausing, snapshots, stopping) and validation.
// TrainingSession (core/workbench) puts it together.

#include <chrono>
#include <optional>
#include <stop_token>

#include "core/training/Evaluation.h"
#include "core/training/SharedBatches.h"
#include "core/training/TrainerCheckpoints.h"
#include "core/training/TrainerParts.h"
#include "core/training/TrainerTelemetry.h"

namespace headlight {

class Trainer {
 public:
  using SnapshotSink = TrainerCheckpoints::SnapshotSink;

  /// `control` and `ledger` must outlive the trainer.
  Trainer(TrainerParts parts, RunFolder folder, RunControl& control, MaskEditQueue& ledger);

  /// Goes on from a checkpoint; to be called once, before run(). Throws Failure.
  void restore(const TrainingCheckpoint& checkpoint);
  /// Puts every process where process 0 is; to be called once by all of them, before run(). Throws
  /// Failure.
  void share();
  /// After run(): others may write the folder, and see that nobody does.
  void releaseFolder() { m_recorder.releaseFolder(); }
  /// A folder whose run was cut off before its first checkpoint: begins again.
  void restart() { m_checkpoints.restart(); }

  void setSnapshotSink(SnapshotSink sink) { m_checkpoints.setSnapshotSink(std::move(sink)); }

  /// Trains until finished or stopped. Throws Failure; where data could not be read any more, or
  /// the last checkpoint could not be written, the message says what can be resumed.
  TrainingOutcome run(std::stop_token stop);

  /// The run as run() left it, in another folder, from where it can be resumed: its config and a
  /// checkpoint, without the logs and the best weights of its own folder. Throws Failure.
  void saveAnew(RunFolder folder) { m_checkpoints.saveAnew(std::move(folder)); }

 private:
  bool isFirst() const { return !m_parts.processes || m_parts.processes->isFirst(); }
  TrainerContext context();
  EvaluationOptions evaluation() const;
  bool prepare(std::stop_token stop);
  bool validateStart(std::stop_token stop);
  bool trainEpoch(std::stop_token stop);
  bool boundary(std::stop_token stop);
  void serve();
  void applyEdits();
  void trainStep(const Batch& batch);
  bool endEpoch(std::stop_token stop);
  Result<EvaluationResult> measure(std::stop_token stop);
  Result<EvaluationResult> validate(std::stop_token stop, EpochPoint& point);
  bool agreed(bool here) const;
  TrainingOutcome outcome(TrainingState state);

  TrainerParts m_parts;
  RunControl& m_control;
  MaskEditQueue& m_ledger;
  RunRecorder m_recorder;
  SharedBatches m_batches, m_validation;
  StepRunner m_steps;
  TrainingPosition m_at;
  TrainerTelemetry m_telemetry;
  TrainerCheckpoints m_checkpoints;

  std::optional<double> m_startScore, m_lastScore;  ///< as this process measured them
  bool m_restored = false;
  std::chrono::steady_clock::time_point m_stepEnded, m_epochStarted;
};

}  // namespace headlight
