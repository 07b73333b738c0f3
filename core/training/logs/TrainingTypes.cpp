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

namespace {

template <typename Measured>
Task taskMeasured(const Measured& measured) {
  if (measured.rebuilt) return Task::Rebuild;
  if (measured.miou) return Task::Segment;
  return measured.ap ? Task::Detect : Task::Classify;
}

/// In the order of scoreNames().
template <typename Measured>
std::vector<double> valuesOf(const Measured& measured) {
  if (measured.rebuilt) return {*measured.rebuilt};
  if (measured.miou) return {*measured.miou, measured.macc.value_or(0), measured.pacc.value_or(0)};
  if (measured.ap) return {*measured.ap, measured.ap50.value_or(0), measured.ap75.value_or(0)};
  return {measured.top1, measured.top5};
}

template <typename Measured>
std::vector<NamedScore> namedScores(const Measured& measured) {
  const std::vector<double> values = valuesOf(measured);
  std::vector<NamedScore> scores;
  for (const ScoreName& name : scoreNames(taskMeasured(measured)))
    scores.push_back({name.key, name.name, values[scores.size()]});
  return scores;
}

}  // namespace

const std::vector<ScoreName>& scoreNames(Task task) {
  static const std::vector<ScoreName> classes{{"top1", kAccuracyName}, {"top5", "top-5"}},
      boxes{{"ap", kPrecisionName}, {"ap50", "AP50"}, {"ap75", "AP75"}},
      segments{{"miou", kMeanOverlapName}, {"macc", "mAcc"}, {"pacc", "pAcc"}},
      patches{{"reconstruction", kRebuildName}};
  switch (task) {
    case Task::Detect:
      return boxes;
    case Task::Segment:
      return segments;
    case Task::Rebuild:
      return patches;
    case Task::Classify:
      break;
  }
  return classes;
}

std::string scoreKey(const std::string& name) {
  for (const Task task : {Task::Classify, Task::Detect, Task::Segment, Task::Rebuild})
    for (const ScoreName& score : scoreNames(task))
      if (score.name == name) return score.key;
  return "top1";
}

const char* EpochPoint::qualityName() const {
  return scoreNames(taskMeasured(*this)).front().name;
}

const char* EvaluationResult::qualityName() const {
  return scoreNames(taskMeasured(*this)).front().name;
}

std::vector<NamedScore> EpochPoint::scores() const {
  return namedScores(*this);
}

std::vector<NamedScore> EvaluationResult::scores() const {
  return namedScores(*this);
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
