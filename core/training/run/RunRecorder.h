// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Everything a run writes to its folder, and the warnings when that fails.

#include <functional>
#include <optional>
#include <string>

#include "core/models/backbones/Model.h"
#include "core/training/evolution/EvolutionLog.h"
#include "core/training/logs/MetricsLog.h"
#include "core/training/run/PendingWrites.h"
#include "core/training/run/RunFolder.h"
#include "core/training/run/TrainingCheckpoint.h"
#include "core/training/tensorboard/EventLog.h"

namespace headlight {

class RunRecorder {
 public:
  /// `warn` gets a sentence for the person each time something could not be written. `silent`:
  /// nothing is written, and all is as if it had been: of a run that another process writes down.
  RunRecorder(RunFolder folder, const std::string& run,
              std::function<void(const std::string&)> warn, bool silent = false,
              Task task = Task::Classify);

  const RunFolder& folder() const { return m_folder; }
  /// Nothing more will be written.
  void releaseFolder() { m_folder.release(); }

  /// From now on TensorBoard's event file is written too; to be called before anything else.
  void keepEvents() { m_events.emplace(m_folder.files()); }
  bool keepsEvents() const { return m_events.has_value(); }
  /// And the maps of the images that are measured every `interval` steps, in at most so many
  /// bytes; to be called before anything else.
  void keepMaps(std::int64_t mostBytes, std::int64_t interval) {
    m_maps.emplace(m_folder.files(), m_run, mostBytes, interval);
  }
  /// Whether maps() would keep what is measured at `step`: where not, nothing need be made of it.
  bool wantsMaps(std::int64_t step) const { return m_maps && m_maps->wants(step); }
  /// Whether there are no maps of `step` yet, the last of a run.
  bool lacksMaps(std::int64_t step) const {
    return m_maps && !m_maps->isOff() && m_maps->lastStep() < step;
  }

  /// Tries again what is owed, then replaces last.safetensors, which carries what still is; where
  /// that fails the older one is intact.
  Result<void> saveLast(TrainingCheckpoint checkpoint);
  /// The weights alone, into best.safetensors or epoch-N.safetensors; owed where that fails.
  void saveWeights(const std::string& name, const TrainingCheckpoint& checkpoint);
  /// The step that last.safetensors holds; negative: there is none.
  std::int64_t savedStep() const { return m_savedStep; }
  /// Whether anything of the run is still to be written, last.safetensors apart.
  bool owes() const { return m_debts.any() || owesMaps(); }
  /// At the end of a run: an error (Io) that says what is missing.
  Result<void> requireComplete() const;

  void step(const StepMetrics& metrics);
  void start(const EpochPoint& point);
  void epoch(const EpochPoint& point, double learningRate, double seconds);
  void heads(const HeadPoint& point);
  /// For the event file alone.
  void images(const std::vector<EventImage>& images, std::int64_t step);
  /// For evolution.bin alone, as EvolutionLog::add.
  Result<void> maps(const EvolutionBeginning& beginning, const EvolutionPoint& point, bool last);
  /// What came of it: told once, until it works again.
  void noteMaps(const Result<void>& kept);
  void edit(const AppliedEdit& edit) {
    if (!m_silent) m_debts.noteLog(m_log.edit(edit));
  }

  /// Before going on from `checkpoint`; null: from the beginning.
  Result<void> cutBack(const TrainingCheckpoint* checkpoint);

 private:
  bool owesMaps() const { return m_maps && m_maps->owes(); }
  Result<void> cutMaps(const TrainingCheckpoint* checkpoint);
  void reportEvents(const std::function<Result<void>(EventLog&)>& notify);

  RunFolder m_folder;
  std::string m_run;
  bool m_silent;
  MetricsLog m_log;
  PendingWrites m_debts;
  std::optional<EventLog> m_events;
  std::optional<EvolutionLog> m_maps;
  std::function<void(const std::string&)> m_warn;
  bool m_eventsFail = false, m_mapsFail = false;  ///< said once, until it works again
  std::string m_mapsReason;
  std::int64_t m_savedStep = -1;
};

}  // namespace headlight
