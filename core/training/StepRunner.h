#pragma once
// One optimiser step: forward, backward, clipping, AdamW, moving average.

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>

#include "core/data/Loader.h"
#include "core/models/Model.h"
#include "core/training/Optimizer.h"
#include "core/training/Schedule.h"
#include "core/training/WeightAverage.h"

namespace headlight {

struct StepResult {
  double loss = 0;
  double gradientNorm = 0;  ///< before clipping
  double learningRate = 0;
};

class StepRunner {
 public:
  StepRunner(std::shared_ptr<Model> model, at::Device device, const TrainingConfig& config,
             std::uint64_t seed, std::int64_t stepsPerEpoch);

  /// Trains on one batch. What is random in it (drop path) is drawn from (seed, step) alone. Throws
  /// Failure where the loss or the gradient is not finite; the weights are then as before.
  StepResult run(const Batch& batch, std::int64_t step);

  /// To be called when the model may have got new parameters (a mask edit).
  void refreshParameters();

  const Schedule& schedule() const { return m_schedule; }
  AdamW& optimizer() { return m_optimizer; }
  WeightAverage& average() { return m_average; }

 private:
  double clippingScale(double gradientNorm) const;

  std::shared_ptr<Model> m_model;
  at::Device m_device;
  TrainingConfig m_config;
  std::uint64_t m_seed;
  Schedule m_schedule;
  AdamW m_optimizer;
  WeightAverage m_average;
};

}  // namespace headlight
