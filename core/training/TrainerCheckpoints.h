// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The checkpoints of a training: when one is due, what it holds, going on from one, and the weights
// that watchers get.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "core/base/Result.h"
#include "core/training/TrainerParts.h"
#include "core/training/TrainerTelemetry.h"

namespace headlight {

class TrainerCheckpoints {
 public:
  /// Gets the model's state (shared storage: clone what is kept) at a step boundary.
  using SnapshotSink = std::function<void(const NamedTensors& state, std::int64_t step)>;

  /// `telemetry`, to which warnings go, must outlive this.
  TrainerCheckpoints(const TrainerContext& on, TrainerTelemetry& telemetry)
      : m_on(on), m_telemetry(telemetry) {}

  void setSnapshotSink(SnapshotSink sink) { m_sink = std::move(sink); }
  /// The weights as they are, to the sink, if there is one.
  void sendSnapshot() const;

  /// Goes on from `saved`: model, optimizer, mask edits, position and logs. Throws Failure where it
  /// belongs to other data, another teacher or another model.
  void restore(const TrainingCheckpoint& saved, std::int64_t batchesPerEpoch);
  /// The logs of a folder that was cut off before its first checkpoint begin again.
  void restart();

  /// The weights and what belongs to them.
  TrainingCheckpoint current() const;
  /// With all that a run goes on from.
  TrainingCheckpoint whole() const;

  /// Whether training.checkpoint_steps have passed since the newest try.
  bool isDue() const;
  /// The next checkpoint is due as if one had been tried at this step.
  void noteStart() { m_lastAttempt = m_on.at.step; }
  /// Where it fails, the older checkpoint is intact, a warning says so, and the next interval tries
  /// again.
  Result<void> saveLast();
  void trySaving() { static_cast<void>(saveLast()); }
  /// At the end of a run: throws Failure where something could not be written.
  void complete(TrainingState state);
  /// In another folder, from where the run can be resumed. Throws Failure.
  void saveAnew(RunFolder folder) const;

  /// Throws Failure where the run's folder was deleted, after the weights went to the sink.
  void requireFolder() const;
  /// Data that cannot be read end the run, with a checkpoint.
  [[noreturn]] void failOnData(const Error& error);

 private:
  void reportChanges(const TrainingCheckpoint& saved);
  void saveLastOrFail(const std::string& occasion);

  TrainerContext m_on;
  TrainerTelemetry& m_telemetry;
  SnapshotSink m_sink;
  std::int64_t m_lastAttempt = 0;  ///< the step of the newest try to save
  Result<void> m_saved;            ///< what came of that try
  std::size_t m_editsSaved = 0;
};

}  // namespace headlight
