// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/TaskEvaluation.h"

#include "core/models/Registry.h"
#include "core/training/BoxEvaluation.h"
#include "core/training/RebuildEvaluation.h"
#include "core/training/SegmentEvaluation.h"

namespace headlight {
namespace {

/// A task's own result in short.
template <typename Found>
Result<EvaluationResult> summaryOf(const Result<Found>& found) {
  if (!found) return found.error();
  return found->summary();
}

}  // namespace

Result<EvaluationResult> evaluateByTask(Model& model, SharedBatches& batches,
                                        const EvaluationOptions& options,
                                        const ProgressCallback& progress, std::stop_token stop) {
  switch (taskOf(model.config())) {
    case Task::Rebuild:
      return evaluateRebuilding(model, batches, options, progress, stop);
    case Task::Segment:
      return summaryOf(evaluateSegments(model, batches, options, progress, stop));
    case Task::Detect:
      return summaryOf(evaluateBoxes(model, batches, options, progress, stop));
    case Task::Classify:
      break;
  }
  return evaluateModel(model, batches, options, progress, stop);
}

}  // namespace headlight
