#include "core/training/step/Schedule.h"

#include <cmath>
#include <numbers>

namespace headlight {

ScheduleOptions scheduleOptions(const TrainingConfig& config, std::int64_t stepsPerEpoch) {
  return {config.learningRate, config.minLearningRate, config.warmupLearningRate,
          config.epochs * stepsPerEpoch,
          std::llround(config.warmupEpochs * static_cast<double>(stepsPerEpoch))};
}

double Schedule::learningRate(std::int64_t step) const {
  const auto& [peak, minimum, start, totalSteps, warmupSteps] = m_options;
  const auto t = static_cast<double>(step);
  if (step < warmupSteps) return start + t / static_cast<double>(warmupSteps) * (peak - start);
  if (step >= totalSteps) return minimum;
  const double angle = std::numbers::pi * t / static_cast<double>(totalSteps);
  return minimum + 0.5 * (peak - minimum) * (1 + std::cos(angle));
}

}  // namespace headlight
