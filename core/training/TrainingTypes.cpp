#include "core/training/TrainingTypes.h"

namespace headlight {

std::string trainingStateName(TrainingState state) {
  switch (state) {
    case TrainingState::Preparing:
      return "preparing";
    case TrainingState::Running:
      return "running";
    case TrainingState::Paused:
      return "paused";
    case TrainingState::Validating:
      return "validating";
    case TrainingState::Finished:
      return "finished";
    case TrainingState::Stopped:
      return "stopped";
    case TrainingState::Failed:
      return "failed";
  }
  return "unknown";
}

}  // namespace headlight
