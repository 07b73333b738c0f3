#pragma once
// What a run writes down for people and plots: metrics.csv (a row an epoch), metrics.jsonl (steps,
// epochs, heads) and masks.jsonl (every edit with its step).

#include <filesystem>

#include "core/training/LineLog.h"
#include "core/training/TrainingTypes.h"

namespace headlight {

struct StepMetrics {
  StepPoint point;
  std::int64_t epoch = 0;   ///< epochs done before this step
  double gradientNorm = 0;  ///< before clipping
};

/// Every line of the .jsonl files has `step`: the optimiser steps done when it was written, and of
/// an edit the step before which it took effect.
class MetricsLog {
 public:
  explicit MetricsLog(const std::filesystem::path& folder);

  Result<void> step(const StepMetrics& metrics);
  Result<void> epoch(const EpochPoint& point, double learningRate, double seconds);
  Result<void> heads(const HeadPoint& point);
  Result<void> edit(const AppliedEdit& edit);
  Result<void> sync();

  /// Cuts everything that was written after a checkpoint, so that a resumed run does not write it
  /// twice: lines after `step`, rows after `epochs`, edits after the first `edits`.
  Result<void> cutTo(std::int64_t step, std::int64_t epochs, std::size_t edits);

 private:
  LineLog m_table, m_lines, m_masks;
  bool m_headed = false;  ///< whether metrics.csv has been given its first row
};

}  // namespace headlight
