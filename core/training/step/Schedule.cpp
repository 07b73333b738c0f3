// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step/Schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace headlight {

ScheduleOptions scheduleOptions(const TrainingConfig& config, std::int64_t stepsPerEpoch) {
  const auto epoch = static_cast<double>(stepsPerEpoch);
  ScheduleOptions options;
  options.peak = peakLearningRate(config);
  options.minimum = config.minLearningRate;
  options.start = config.warmupLearningRate;
  options.totalSteps = config.epochs * stepsPerEpoch;
  options.warmupSteps = std::llround(config.warmupEpochs * epoch);
  options.kind = config.schedule;
  options.decayRate = config.decayRate;
  options.decaySteps = epoch * (config.schedule == "step" ? config.decayEpochs : 1);
  return options;
}

double peakLearningRate(const TrainingConfig& config) {
  if (config.learningRatePer == 0) return config.learningRate;
  return config.learningRate * static_cast<double>(config.batchSize) /
         static_cast<double>(config.learningRatePer);
}

double Schedule::decayed(std::int64_t step) const {
  const double times = std::floor(static_cast<double>(step) / m_options.decaySteps);
  return std::max(m_options.minimum, m_options.peak * std::pow(m_options.decayRate, times));
}

double Schedule::learningRate(std::int64_t step) const {
  const double peak = m_options.peak, minimum = m_options.minimum, start = m_options.start;
  const std::int64_t totalSteps = m_options.totalSteps, warmupSteps = m_options.warmupSteps;
  const auto t = static_cast<double>(step);
  if (step < warmupSteps) return start + t / static_cast<double>(warmupSteps) * (peak - start);
  if (m_options.kind == "constant") return peak;
  if (m_options.kind != "cosine") return decayed(step);
  if (step >= totalSteps) return minimum;
  const double angle = std::numbers::pi * t / static_cast<double>(totalSteps);
  return minimum + 0.5 * (peak - minimum) * (1 + std::cos(angle));
}

}  // namespace headlight
