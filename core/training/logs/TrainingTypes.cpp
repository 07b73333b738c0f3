// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/logs/TrainingTypes.h"

#include <cmath>

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

Json readingsToJson(const std::vector<Readings>& layers) {
  Json list = Json::array();
  bool any = false;
  for (const Readings& readings : layers) {
    Json object = Json::object();
    for (const auto& [name, value] : readings)
      object[name] = std::isfinite(value) ? Json(value) : Json();
    any = any || !object.empty();
    list.push_back(std::move(object));
  }
  return any ? list : Json::array();
}

}  // namespace headlight
