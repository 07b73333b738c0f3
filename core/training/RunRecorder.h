#pragma once
// Everything a run writes to its folder, and what is told to those who watch when that fails.

#include <functional>
#include <string>

#include "core/models/Model.h"
#include "core/training/MetricsLog.h"
#include "core/training/RunFolder.h"
#include "core/training/TrainingCheckpoint.h"

namespace headlight {

class RunRecorder {
 public:
  /// `warn` gets a sentence for the person each time something could not be written.
  RunRecorder(RunFolder folder, std::function<void(const std::string&)> warn);

  const RunFolder& folder() const { return m_folder; }

  /// Replaces last.safetensors; where that fails the older one is intact.
  Result<void> saveLast(const TrainingCheckpoint& checkpoint);
  /// The weights alone, into best.safetensors or epoch-N.safetensors. False where it failed.
  bool saveWeights(const std::filesystem::path& path, const TrainingCheckpoint& checkpoint);
  /// The step that last.safetensors holds; negative: there is none.
  std::int64_t savedStep() const { return m_savedStep; }

  void step(const StepMetrics& metrics) { noteLog(m_log.step(metrics)); }
  void epoch(const EpochPoint& point, double learningRate, double seconds) {
    noteLog(m_log.epoch(point, learningRate, seconds));
  }
  void heads(const HeadPoint& point) { noteLog(m_log.heads(point)); }
  void edit(const AppliedEdit& edit) { noteLog(m_log.edit(edit)); }

  /// Before going on from `checkpoint`; null: from the beginning.
  Result<void> cutBack(const TrainingCheckpoint* checkpoint);

 private:
  void noteLog(const Result<void>& written);

  RunFolder m_folder;
  MetricsLog m_log;
  std::function<void(const std::string&)> m_warn;
  std::int64_t m_savedStep = -1;
  bool m_logFails = false;  ///< said once, until it works again
};

}  // namespace headlight
