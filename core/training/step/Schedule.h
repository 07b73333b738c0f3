#pragma once
// The learning rate of every optimiser step: linear warm-up, then a cosine.

#include <cstdint>

#include "core/config/TrainingConfig.h"

namespace headlight {

struct ScheduleOptions {
  double peak = 0, minimum = 0;
  double start = 0;              ///< of the warm-up
  std::int64_t totalSteps = 0;   ///< T
  std::int64_t warmupSteps = 0;  ///< W
};
/// T = epochs · stepsPerEpoch, W = round(warmupEpochs · stepsPerEpoch).
ScheduleOptions scheduleOptions(const TrainingConfig& config, std::int64_t stepsPerEpoch);

/// timm's CosineLRScheduler stepped on updates, without warm-up prefix. With step t = 0 … T−1:
///   t < W: start + t/W · (peak − start)
///   else:  minimum + ½ (peak − minimum) (1 + cos(π t/T))
/// The cosine runs over all T steps; the warm-up covers its beginning.
class Schedule {
 public:
  explicit Schedule(const ScheduleOptions& options) : m_options(options) {}
  double learningRate(std::int64_t step) const;
  std::int64_t totalSteps() const { return m_options.totalSteps; }
  std::int64_t warmupSteps() const { return m_options.warmupSteps; }

 private:
  ScheduleOptions m_options;
};

}  // namespace headlight
