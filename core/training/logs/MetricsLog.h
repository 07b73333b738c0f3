// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a run writes down for people and plots: metrics.csv (a row an epoch), metrics.jsonl (steps,
// epochs, heads), masks.jsonl (every edit with its step) and, for timm's tools, summary.csv.

#include <optional>
#include <string>
#include <vector>

#include "core/training/logs/JsonLog.h"
#include "core/training/logs/RunTable.h"
#include "core/training/logs/TimmSummary.h"
#include "core/training/logs/TrainingTypes.h"
#include "core/training/step/LossScale.h"

namespace headlight {

struct StepMetrics {
  StepPoint point;
  std::int64_t epoch = 0;   ///< epochs done before this step
  double gradientNorm = 0;  ///< before clipping; of a skipped step not finite
  std::int64_t steps = 0;   ///< of the whole run, for those who watch it from elsewhere
  std::optional<LossScaleState> lossScale = {};  ///< after the step; of a run in float16
};

/// The line of a step that was skipped says so ("skipped": true) and has no gradient_norm: there
/// was none. Steps in float16 have loss_scale and skipped_steps, of the run so far, since most of
/// them fall between two lines.
///
/// Every line of the .jsonl files has `step`: the optimizer steps done when it was written, and of
/// an edit the step before which it took effect. Lines and rows carry the run's id, where it has
/// one; those of summary.csv do not.
class MetricsLog {
 public:
  /// `task` says which scores the tables have.
  MetricsLog(const OpenFolder& folder, const std::string& run, Task task = Task::Classify);

  Result<void> step(const StepMetrics& metrics);
  /// The weights before the first step: a line of metrics.jsonl alone, for tables count epochs.
  Result<void> start(const EpochPoint& point);
  Result<void> epoch(const EpochPoint& point, double learningRate, double seconds);
  Result<void> heads(const HeadPoint& point);
  Result<void> edit(const AppliedEdit& edit);

  /// Cuts everything that was written after a checkpoint, so that a resumed run does not write it
  /// twice: lines after `step`, rows after `epochs`, edits after the first `edits`. Where no step
  /// was done, the starting weights are measured again, and their line goes too. Errors:
  /// InvalidFile for a file of another run, which is left as it is.
  Result<void> cutTo(std::int64_t step, std::int64_t epochs, std::size_t edits);

  /// By name, for what is still to be written.
  std::vector<LineLog*> logs() {
    return {&m_table.log(), &m_lines.log(), &m_masks.log(), &m_summary.log()};
  }

 private:
  RunTable m_table;
  JsonLog m_lines, m_masks;
  TimmSummary m_summary;
};

}  // namespace headlight
