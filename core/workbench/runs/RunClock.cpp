// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/runs/RunClock.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace headlight {
namespace {

constexpr double kSecondsAMinute = 60;

/// Minutes from the beginning to the end of each epoch: as far as every epoch has its time.
std::map<std::int64_t, double> minutesByEpoch(const std::vector<EpochTime>& times) {
  std::map<std::int64_t, double> ends;
  double minutes = 0;
  std::int64_t next = 1;
  for (const EpochTime& time : times) {
    if (time.epoch != next) break;
    minutes += time.seconds / kSecondsAMinute;
    ends[next++] = minutes;
  }
  return ends;
}

}  // namespace

RunClock::RunClock(const RunHistory& history, RunAxis axis)
    : m_knots{{0, 0}}, m_isTime(axis == RunAxis::Time) {
  const auto ends = m_isTime ? minutesByEpoch(history.times) : std::map<std::int64_t, double>();
  for (const EpochPoint& point : history.epochPoints) {
    const auto step = static_cast<double>(point.step);
    const auto end = ends.find(point.epoch);
    if (m_isTime && end == ends.end()) break;
    const double value = m_isTime ? end->second : static_cast<double>(point.epoch);
    if (step > m_knots.back().first && value >= m_knots.back().second)
      m_knots.emplace_back(step, value);
  }
}

double RunClock::at(double step) const {
  const auto behind = std::lower_bound(m_knots.begin(), m_knots.end(), step,
                                       [](const auto& knot, double at) { return knot.first < at; });
  if (behind == m_knots.begin()) return 0;
  if (behind == m_knots.end() && m_isTime) return NAN;
  const auto& to = behind == m_knots.end() ? m_knots.back() : *behind;
  const auto& from = behind == m_knots.end() ? *(m_knots.end() - 2) : *(behind - 1);
  const double share = (step - from.first) / (to.first - from.first);
  return from.second + share * (to.second - from.second);
}

std::string RunClock::whyEmpty() const {
  return m_isTime ? "its log has no time; metrics.csv has one at the end of every epoch"
                  : "its log has no validation yet, which epochs are counted by";
}

std::string RunClock::whyEnds() const {
  return "its log has no time after the last finished epoch";
}

}  // namespace headlight
