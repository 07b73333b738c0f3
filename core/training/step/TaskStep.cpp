// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step/TaskStep.h"

#include "core/models/Registry.h"
#include "core/training/step/BoxStep.h"
#include "core/training/step/ClassStep.h"
#include "core/training/step/RebuildStep.h"
#include "core/training/step/SegmentStep.h"

namespace headlight {
namespace {

Task learnedTask(const StepInputs& inputs) {
  if (taskOf(inputs.model.config()) == Task::Rebuild) return Task::Rebuild;
  if (!inputs.source.boxes.empty()) return Task::Detect;
  return inputs.source.segments.defined() ? Task::Segment : Task::Classify;
}

}  // namespace

std::unique_ptr<TaskStep> makeTaskStep(const StepInputs& inputs) {
  switch (learnedTask(inputs)) {
    case Task::Rebuild:
      return std::make_unique<RebuildStep>(inputs);
    case Task::Detect:
      return std::make_unique<BoxStep>(inputs);
    case Task::Segment:
      return std::make_unique<SegmentStep>(inputs);
    case Task::Classify:
      break;
  }
  return std::make_unique<ClassStep>(inputs);
}

}  // namespace headlight
