#include "core/training/run/FollowedLogs.h"

#include <algorithm>
#include <utility>

#include "core/training/run/EvenPoints.h"
#include "core/training/run/LineLog.h"
#include "core/training/run/LoggedPoints.h"

namespace headlight {
namespace {

constexpr std::size_t kMostNewPoints = 16384, kMostNewHeads = 512, kMostFollowedEdits = 4096;

struct NewPoints {
  explicit NewPoints(RunHistory& history)
      : steps(history.steps, kMostNewPoints),
        epochs(history.epochPoints, kMostNewPoints),
        heads(history.heads, kMostNewHeads) {}
  EvenPoints<StepPoint> steps;
  EvenPoints<EpochPoint> epochs;
  EvenPoints<HeadPoint> heads;
};

/// Whether `step` does not go back behind `last`, which becomes it.
bool goesOn(std::int64_t step, std::int64_t& last) {
  if (step < last) return false;
  last = step;
  return true;
}

}  // namespace

FollowedLogs::FollowedLogs(const Experiment& experiment)
    : m_heads(experiment.model.maskShape().heads), m_tally(experiment.training) {}

bool FollowedLogs::wasRewritten(const OpenFolder& folder) const {
  return m_metrics.wasRewritten(folder) || m_masks.wasRewritten(folder);
}

Result<void> FollowedLogs::read(const OpenFolder& folder, RunHistory& points,
                                const std::stop_token& stop) {
  NewPoints fresh(points);
  auto metrics = m_metrics.read(
      folder, [&](const std::string& line) { takeMetric(line, fresh); }, stop);
  auto masks = m_masks.read(
      folder, [&](const std::string& line) { takeEdit(line, points); }, stop);
  return metrics ? masks : metrics;
}

template <typename Points>
void FollowedLogs::takeMetric(const std::string& text, Points& points) {
  const Json line = Json::parse(text, nullptr, false);
  const std::int64_t step = integerAt(line, "step");
  if (step < 0) return;
  const std::string type = loggedType(line);
  if (type == "step" && goesOn(step, m_lastStep)) {
    const StepPoint point = loggedStep(line, step);
    m_tally.add(point, std::max<std::int64_t>(integerAt(line, "steps"), 0));
    points.steps.add(point);
  } else if (type == "epoch" && goesOn(step, m_lastEpoch)) {
    const EpochPoint point = loggedEpoch(line, step);
    m_tally.add(point);
    points.epochs.add(point);
  } else if (type == "heads" && goesOn(step, m_lastHeads)) {
    auto point = loggedHeads(line, step, m_heads);
    if (!point) return;
    m_tally.add(*point);
    points.heads.add(std::move(*point));
  }
}

void FollowedLogs::takeEdit(const std::string& text, RunHistory& points) {
  const Json line = Json::parse(text, nullptr, false);
  const std::int64_t step = integerAt(line, "step");
  if (step < 0 || m_edits >= kMostFollowedEdits) return;
  auto edit = maskEditFromJson(line, "masks.jsonl");
  if (!edit) return;
  ++m_edits;
  points.edits.push_back({step, std::move(*edit)});
}

}  // namespace headlight
