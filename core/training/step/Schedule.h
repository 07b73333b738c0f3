// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The learning rate of every optimizer step: linear warm-up, then as training.schedule says.

#include <cstdint>
#include <string>

#include "core/config/TrainingConfig.h"

namespace headlight {

struct ScheduleOptions {
  double peak = 0, minimum = 0;
  double start = 0;              ///< of the warm-up
  std::int64_t totalSteps = 0;   ///< T
  std::int64_t warmupSteps = 0;  ///< W
  /// cosine | poly | exponential | step | constant | inverse_sqrt
  std::string kind = "cosine";
  double decayRate = 1;   ///< r
  double decaySteps = 1;  ///< D > 0, between two decays
};
/// T = epochs · stepsPerEpoch, W = round(warmupEpochs · stepsPerEpoch), D of one epoch
/// (exponential) or of decayEpochs (step). The peak is learning_rate, or learning_rate · batch_size
/// / P for learning_rate_per P images; the other rates are as given.
ScheduleOptions scheduleOptions(const TrainingConfig& config, std::int64_t stepsPerEpoch);
double peakLearningRate(const TrainingConfig& config);

/// timm's schedulers stepped on updates, without warm-up prefix. With step t = 0 … T−1:
///   t < W:              start + t/W · (peak − start)
///   cosine:             minimum + ½ (peak − minimum) (1 + cos(π t/T))
///   poly:               minimum + (peak − minimum) (1 − t/T)^0.9
///   exponential, step:  max(minimum, peak · r^⌊t/D⌋)
///   constant:           peak
///   inverse_sqrt:       max(minimum, peak · √(W/t)), W at least 1 (Vaswani et al. 2017, Eq. 3)
/// They run over all T steps; the warm-up covers their beginning.
class Schedule {
 public:
  explicit Schedule(const ScheduleOptions& options) : m_options(options) {}
  double learningRate(std::int64_t step) const;
  std::int64_t totalSteps() const { return m_options.totalSteps; }
  std::int64_t warmupSteps() const { return m_options.warmupSteps; }

 private:
  double decayed(std::int64_t step) const;
  double inverseRoot(std::int64_t step) const;

  ScheduleOptions m_options;
};

}  // namespace headlight
