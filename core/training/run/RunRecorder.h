#pragma once
// Everything a run writes to its folder, and what is told to those who watch when that fails.

#include <functional>
#include <string>

#include "core/models/Model.h"
#include "core/training/run/MetricsLog.h"
#include "core/training/run/RunDebts.h"
#include "core/training/run/RunFolder.h"
#include "core/training/run/TrainingCheckpoint.h"

namespace headlight {

class RunRecorder {
 public:
  /// `warn` gets a sentence for the person each time something could not be written.
  RunRecorder(RunFolder folder, const std::string& run,
              std::function<void(const std::string&)> warn);

  const RunFolder& folder() const { return m_folder; }

  /// Tries again what is owed, then replaces last.safetensors, which carries what still is; where
  /// that fails the older one is intact.
  Result<void> saveLast(TrainingCheckpoint checkpoint);
  /// The weights alone, into best.safetensors or epoch-N.safetensors; owed where that fails.
  void saveWeights(const std::string& name, const TrainingCheckpoint& checkpoint);
  /// The step that last.safetensors holds; negative: there is none.
  std::int64_t savedStep() const { return m_savedStep; }
  /// Whether anything of the run is still to be written, last.safetensors apart.
  bool owes() const { return m_debts.any(); }
  /// At the end of a run: an error (Io) that says what is missing.
  Result<void> requireComplete() const { return m_debts.requireNone(); }

  void step(const StepMetrics& metrics) { m_debts.noteLog(m_log.step(metrics)); }
  void epoch(const EpochPoint& point, double learningRate, double seconds) {
    m_debts.noteLog(m_log.epoch(point, learningRate, seconds));
  }
  void heads(const HeadPoint& point) { m_debts.noteLog(m_log.heads(point)); }
  void edit(const AppliedEdit& edit) { m_debts.noteLog(m_log.edit(edit)); }

  /// Before going on from `checkpoint`; null: from the beginning.
  Result<void> cutBack(const TrainingCheckpoint* checkpoint);

 private:
  RunFolder m_folder;
  MetricsLog m_log;
  RunDebts m_debts;
  std::int64_t m_savedStep = -1;
};

}  // namespace headlight
