#pragma once
// The learning rate of every optimiser step: linear warm-up, then a cosine.

#include <cstdint>

#include "core/config/TrainingConfig.h"

namespace headlight {

/// timm's CosineLRScheduler stepped on updates, without warm-up prefix. With step t = 0 … T−1,
/// T = epochs · stepsPerEpoch and W = round(warmupEpochs · stepsPerEpoch):
///   t < W: warmupLearningRate + t/W · (learningRate − warmupLearningRate)
///   else:  minLearningRate + ½ (learningRate − minLearningRate) (1 + cos(π t/T))
/// The cosine runs over all T steps; the warm-up covers its beginning.
class Schedule {
 public:
  Schedule(const TrainingConfig& config, std::int64_t stepsPerEpoch);
  double learningRate(std::int64_t step) const;
  std::int64_t totalSteps() const { return m_totalSteps; }
  std::int64_t warmupSteps() const { return m_warmupSteps; }

 private:
  double m_peak, m_minimum, m_start;
  std::int64_t m_totalSteps, m_warmupSteps;
};

}  // namespace headlight
