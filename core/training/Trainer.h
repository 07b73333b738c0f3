// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The loop: epochs, step boundaries (mask edits, pausing, snapshots, stopping), validation,
// telemetry and checkpoints. TrainingSession (core/workbench) puts it together.

#include <c10/core/Device.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/models/backbones/Model.h"
#include "core/models/layers/Precision.h"
#include "core/training/RunControl.h"
#include "core/training/SharedBatches.h"
#include "core/training/Telemetry.h"
#include "core/training/run/MaskEditQueue.h"
#include "core/training/run/RunRecorder.h"
#include "core/training/step/StepRunner.h"

namespace headlight {

struct TrainerParts {
  Experiment experiment;         ///< resolved: model.classes as the data has
  std::shared_ptr<Model> model;  ///< on `device`, with the masks of the experiment, before any edit
  at::Device device = at::kCPU;
  std::shared_ptr<const Dataset> train, validation;
  Preprocessing preprocessing;
  std::shared_ptr<Teacher> teacher;         ///< on `device`; null: no distillation
  std::string teacherFingerprint;           ///< of its files; empty: it has none
  std::string trainStamp, validationStamp;  ///< Dataset::stamp
  std::string run;                          ///< its id; empty: of before runs had one
  /// That train together: each with these parts, in the same state (Trainer::share). Process 0
  /// alone writes and measures heads. Null: this one alone.
  std::shared_ptr<Processes> processes;
};

class Trainer {
 public:
  /// Gets the model's state (shared storage: clone what is kept) at a step boundary.
  using SnapshotSink = std::function<void(const NamedTensors& state, std::int64_t step)>;

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
  void restart();

  void setSnapshotSink(SnapshotSink sink) { m_snapshotSink = std::move(sink); }

  /// Trains until finished or stopped. Throws Failure; where data could not be read any more, or
  /// the last checkpoint could not be written, the message says what can be resumed.
  TrainingOutcome run(std::stop_token stop);

  /// The run as run() left it, in another folder, from where it can be resumed: its config and a
  /// checkpoint, without the logs and the best weights of its own folder. Throws Failure.
  void saveAnew(RunFolder folder);

 private:
  bool prepare(std::stop_token stop);
  bool validateStart(std::stop_token stop);
  bool trainEpoch(std::stop_token stop);
  bool boundary(std::stop_token stop);
  void serve();
  void applyEdits();
  void trainStep(const Batch& batch);
  void tell(const StepMetrics& metrics);
  bool endEpoch(std::stop_token stop);
  Result<EvaluationResult> validate(std::stop_token stop, EpochPoint& point);
  bool isFirst() const { return !m_parts.processes || m_parts.processes->isFirst(); }
  bool agreed(bool here) const;
  void measureHeadMetrics();
  void keepMaps(MapRecorder& maps, const HeadPoint& heads, bool last);
  void keepLastMaps();
  void drawMaps();
  TrainingCheckpoint checkpoint() const;
  TrainingCheckpoint wholeCheckpoint();
  Result<void> saveLast();
  /// The next interval tries again: saveLast() has told of what went wrong.
  void trySaving() { static_cast<void>(saveLast()); }
  void requireFolder();
  void tellChanges(const TrainingCheckpoint& saved);
  void saveLastOrFail(const std::string& occasion);
  [[noreturn]] void failOnData(const Error& error);
  TrainingOutcome outcome(TrainingState state);
  void setState(TrainingState state, const std::string& message = {});
  void warn(const std::string& message);
  void reportSkipped(const Loader& loader, std::size_t& reported);
  void reportSkippedSteps();
  Precision precision() const;
  Progress progress() const;

  TrainerParts m_parts;
  RunControl& m_control;
  MaskEditQueue& m_ledger;
  RunRecorder m_recorder;
  SharedBatches m_batches, m_validation;
  StepRunner m_steps;
  std::optional<HeadProbe> m_probe;
  std::optional<EvolutionBeginning> m_recorded;  ///< once the first maps were taken
  SnapshotSink m_snapshotSink;

  TrainingPosition m_at;
  std::optional<double> m_startTop1, m_lastTop1;  ///< as this process measured them
  bool m_restored = false;
  std::int64_t m_lastAttempt = 0;  ///< the step of the newest try to save
  Result<void> m_saved;            ///< what came of that try
  std::size_t m_editsSaved = 0;
  std::size_t m_skippedTrain = 0, m_skippedValidation = 0;
  std::int64_t m_skippedSteps = 0;  ///< of those, how many were told
  RemainingTime m_remaining;
  std::chrono::steady_clock::time_point m_stepEnded, m_epochStarted;
};

}  // namespace headlight
