// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/runs/FollowedRun.h"

#include <cmath>
#include <iterator>
#include <utility>

namespace headlight {
namespace {

constexpr std::size_t kMostKeptSteps = 32768, kMostKeptHeads = 1024;

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

bool sameNumbers(const RunMetrics& a, const RunMetrics& b) {
  return a.epoch == b.epoch && a.epochs == b.epochs && a.step == b.step && a.steps == b.steps &&
         same(a.loss, b.loss) && same(a.learningRate, b.learningRate) && same(a.score, b.score) &&
         a.scoreName == b.scoreName && same(a.bestScore, b.bestScore) &&
         same(a.startScore, b.startScore) && same(a.validationLoss, b.validationLoss) &&
         same(a.locality, b.locality) && same(a.imagesPerSecond, b.imagesPerSecond) &&
         same(a.secondsRemaining, b.secondsRemaining);
}

/// But for how old its newest line is, which changes with every look.
bool sameStanding(const RunStatus& a, const RunStatus& b) {
  const auto text = [](const RunStatus& one) { return one.problem ? one.problem->text() : ""; };
  return a.state == b.state && a.certain == b.certain && a.name == b.name && text(a) == text(b) &&
         sameNumbers(a.numbers, b.numbers);
}

template <typename Point>
void append(std::vector<Point>& to, std::vector<Point>& from, std::size_t most) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  if (to.size() <= most) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < to.size(); i += 2)
    std::swap(to[kept++], to[i]);
  to.resize(kept);
}

void append(RunHistory& history, RunHistory& points) {
  if (points.start) history.start = points.start;
  append(history.steps, points.steps, kMostKeptSteps);
  append(history.epochPoints, points.epochPoints, kMostKeptSteps);
  append(history.heads, points.heads, kMostKeptHeads);
  append(history.edits, points.edits, SIZE_MAX);
  append(history.times, points.times, SIZE_MAX);
}

}  // namespace

void FollowedRun::setCompared(bool wanted) {
  if (wanted == std::exchange(compared, wanted)) return;
  history = {};
  grown = wanted;
  if (wanted) follower = RunFollower(row.folder);
}

void FollowedRun::poll(const std::stop_token& stop) {
  RunGrowth growth = follower.poll(stop);
  lookedAt = std::chrono::steady_clock::now();
  if (growth.anew) history = {};
  if (compared && (growth.anew || !growth.points.empty())) grown = true;
  if (compared) append(history, growth.points);
  const bool other = growth.experiment != row.experiment;
  changed = changed || !row.looked || other || !sameStanding(growth.standing, row.standing);
  row.standing = std::move(growth.standing);
  row.experiment = std::move(growth.experiment);
  row.looked = row.looked || !stop.stop_requested();
}

ListedRun FollowedRun::rowNow() const {
  ListedRun now = row;
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - lookedAt;
  if (now.standing.secondsSinceLine >= 0) now.standing.secondsSinceLine += since.count();
  return now;
}

}  // namespace headlight
