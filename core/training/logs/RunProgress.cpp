// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/logs/RunProgress.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/masks/HeadMean.h"

namespace headlight {
namespace {

constexpr std::size_t kPaceSteps = 32;

}  // namespace

void RunProgress::add(const StepPoint& point, std::int64_t steps) {
  ++m_lines;
  m_newest = point;
  m_step = std::max(m_step, point.step);
  if (steps > 0) m_steps = steps;
  if (!(point.imagesPerSecond > 0)) return;
  m_seconds.push_back(1 / point.imagesPerSecond);
  if (m_seconds.size() > kPaceSteps) m_seconds.pop_front();
}

void RunProgress::add(const EpochPoint& point) {
  ++m_lines;
  m_step = std::max(m_step, point.step);
  m_validated = std::clamp<std::int64_t>(point.epoch, 0, std::max<std::int64_t>(m_epochs, 0));
  if (point.epoch > 0) m_stepsAnEpoch = point.step / point.epoch;
  m_scoreName = point.qualityName();
  m_score = point.quality();
  m_validationLoss = point.validationLoss;
  m_bestScore = std::fmax(m_bestScore, m_score);  // of NaN and a number the number
}

void RunProgress::add(const HeadPoint& point) {
  ++m_lines;
  m_step = std::max(m_step, point.step);
  m_locality = meanOverHeads(point.locality);
}

void RunProgress::addStart(const EpochPoint& start) {
  ++m_lines;
  m_scoreName = start.qualityName();
  m_startScore = start.quality();
}

double RunProgress::secondsAStep() const {
  if (m_seconds.empty()) return RunMetrics::kUnknown;
  const double sum = std::accumulate(m_seconds.begin(), m_seconds.end(), 0.0);
  return static_cast<double>(m_batch) * sum / static_cast<double>(m_seconds.size());
}

RunMetrics RunProgress::numbers() const {
  RunMetrics now;
  now.epochs = m_epochs;
  now.epoch = std::clamp<std::int64_t>(m_validated + 1, 1, std::max<std::int64_t>(m_epochs, 1));
  now.step = m_step;
  // In an older log, from the first epoch: all have as many.
  const auto bounded = [](double steps) {
    return steps < 9e15 ? static_cast<std::int64_t>(steps) : 0;
  };
  now.steps = m_steps > 0
                  ? m_steps
                  : bounded(static_cast<double>(m_stepsAnEpoch) * static_cast<double>(m_epochs));
  now.loss = m_newest.loss;
  now.learningRate = m_newest.learningRate;
  now.scoreName = m_scoreName;
  now.score = m_score;
  now.bestScore = m_bestScore;
  now.startScore = m_startScore;
  now.validationLoss = m_validationLoss;
  now.locality = m_locality;
  const double seconds = secondsAStep();
  if (!(seconds > 0)) return now;
  now.imagesPerSecond = static_cast<double>(m_batch) / seconds;
  if (now.steps >= now.step)
    now.secondsRemaining = seconds * static_cast<double>(now.steps - now.step);
  return now;
}

}  // namespace headlight
