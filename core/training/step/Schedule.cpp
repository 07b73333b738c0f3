// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step/Schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace headlight {
namespace {

constexpr double kPolyPower = 0.9;

}  // namespace

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

/// Without warm-up as after one of a single step: the first two steps are at the peak.
double Schedule::inverseRoot(std::int64_t step) const {
  const std::int64_t warmup = std::max<std::int64_t>(m_options.warmupSteps, 1);
  const double share = static_cast<double>(warmup) / static_cast<double>(std::max(step, warmup));
  return std::max(m_options.minimum, m_options.peak * std::sqrt(share));
}

double Schedule::learningRate(std::int64_t step) const {
  const double peak = m_options.peak, minimum = m_options.minimum, start = m_options.start;
  const std::int64_t totalSteps = m_options.totalSteps, warmupSteps = m_options.warmupSteps;
  const auto t = static_cast<double>(step);
  if (step < warmupSteps) return start + t / static_cast<double>(warmupSteps) * (peak - start);
  if (m_options.kind == "constant") return peak;
  if (m_options.kind == "inverse_sqrt") return inverseRoot(step);
  if (m_options.kind != "cosine" && m_options.kind != "poly") return decayed(step);
  if (step >= totalSteps) return minimum;
  if (m_options.kind == "poly")
    return minimum +
           (peak - minimum) * std::pow(1 - t / static_cast<double>(totalSteps), kPolyPower);
  const double angle = std::numbers::pi * t / static_cast<double>(totalSteps);
  return minimum + 0.5 * (peak - minimum) * (1 + std::cos(angle));
}

}  // namespace headlight
