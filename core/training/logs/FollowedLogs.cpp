// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/logs/FollowedLogs.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/config/ConfigText.h"
#include "core/training/logs/EvenPoints.h"
#include "core/training/logs/LineLog.h"
#include "core/training/logs/LoggedPoints.h"

namespace headlight {
namespace {

constexpr std::size_t kMostNewPoints = 16384, kMostNewHeads = 512, kMostFollowedEdits = 4096,
                      kMostTimes = 16384;

struct NewPoints {
  explicit NewPoints(RunHistory& history)
      : start(history.start),
        steps(history.steps, kMostNewPoints),
        epochs(history.epochPoints, kMostNewPoints),
        heads(history.heads, kMostNewHeads) {}
  std::optional<EpochPoint>& start;
  EvenPoints<StepPoint> steps;
  EvenPoints<EpochPoint> epochs;
  EvenPoints<HeadPoint> heads;
};

/// For a table without quotes.
std::vector<std::string> cellsOf(const std::string& row) {
  std::vector<std::string> cells(1);
  for (const char letter : row)
    if (letter == ',')
      cells.emplace_back();
    else
      cells.back() += letter;
  return cells;
}

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
  return m_metrics.wasRewritten(folder) || m_masks.wasRewritten(folder) ||
         m_table.wasRewritten(folder);
}

Result<void> FollowedLogs::read(const OpenFolder& folder, RunHistory& points,
                                const std::stop_token& stop) {
  NewPoints fresh(points);
  auto metrics = m_metrics.read(
      folder, [&](const std::string& line) { takeMetric(line, fresh); }, stop);
  auto masks = m_masks.read(
      folder, [&](const std::string& line) { takeEdit(line, points); }, stop);
  // After the lines: an epoch's row is written before its line, and so is not missed.
  auto table = m_table.read(
      folder, [&](const std::string& row) { takeTime(row, points); }, stop);
  return !metrics ? metrics : !masks ? masks : table;
}

template <typename Points>
void FollowedLogs::takeMetric(const std::string& text, Points& points) {
  const Json line = jsonOrDiscarded(text);
  const std::int64_t step = integerAt(line, "step");
  if (step < 0) return;
  const std::string type = loggedType(line);
  if (type == kStartLine) {
    points.start = loggedStart(line);
    m_tally.addStart(*points.start);
  } else if (type == "step" && goesOn(step, m_lastStep)) {
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
  const Json line = jsonOrDiscarded(text);
  const std::int64_t step = integerAt(line, "step");
  if (step < 0 || m_edits >= kMostFollowedEdits) return;
  auto edit = maskEditFromJson(line, "masks.jsonl");
  if (!edit) return;
  ++m_edits;
  points.edits.push_back({step, std::move(*edit)});
}

/// The head says in which cell the seconds stand; of damaged rows none.
void FollowedLogs::takeTime(const std::string& row, RunHistory& points) {
  const std::vector<std::string> cells = cellsOf(row);
  const auto named = std::find(cells.begin(), cells.end(), "seconds");
  if (named != cells.end()) m_secondsCell = static_cast<std::size_t>(named - cells.begin());
  const auto epoch = firstCell(row);
  if (!epoch || *epoch <= 0 || m_secondsCell >= cells.size() || m_times >= kMostTimes) return;
  const std::string& cell = cells[m_secondsCell];
  double seconds = -1;
  const auto read = std::from_chars(cell.data(), cell.data() + cell.size(), seconds);
  if (read.ptr != cell.data() + cell.size() || !(seconds >= 0) || !std::isfinite(seconds)) return;
  ++m_times;
  points.times.push_back({*epoch, seconds});
}

}  // namespace headlight
