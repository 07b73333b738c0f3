#include "core/training/step/Schedule.h"

#include <cmath>
#include <numbers>

namespace headlight {

Schedule::Schedule(const TrainingConfig& config, std::int64_t stepsPerEpoch)
    : m_peak(config.learningRate),
      m_minimum(config.minLearningRate),
      m_start(config.warmupLearningRate),
      m_totalSteps(config.epochs * stepsPerEpoch),
      m_warmupSteps(std::llround(config.warmupEpochs * static_cast<double>(stepsPerEpoch))) {}

double Schedule::learningRate(std::int64_t step) const {
  const auto t = static_cast<double>(step);
  if (step < m_warmupSteps)
    return m_start + t / static_cast<double>(m_warmupSteps) * (m_peak - m_start);
  if (step >= m_totalSteps) return m_minimum;
  const double angle = std::numbers::pi * t / static_cast<double>(m_totalSteps);
  return m_minimum + 0.5 * (m_peak - m_minimum) * (1 + std::cos(angle));
}

}  // namespace headlight
