// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One optimizer step: forward, losses, backward, clipping, the optimizer, moving average.

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "core/data/Loader.h"
#include "core/models/backbones/Model.h"
#include "core/processes/Processes.h"
#include "core/training/step/GradientSum.h"
#include "core/training/step/LossScale.h"
#include "core/training/step/Mixing.h"
#include "core/training/step/Optimizer.h"
#include "core/training/step/Schedule.h"
#include "core/training/step/Teacher.h"
#include "core/training/step/WeightAverage.h"

namespace headlight {

struct StepResult {
  double loss = 0;          ///< what was minimized
  double gradientNorm = 0;  ///< before clipping; of a skipped step not finite
  double learningRate = 0;
  std::optional<double> distillationLoss;  ///< before its share is taken; nothing: no teacher
  std::optional<double> auxiliaryLoss;     ///< of the mechanisms; nothing: they have none
  bool skipped = false;                    ///< nothing was changed: LossScale.h
};

/// The parts of a step's loss. Undefined tensors: there is none.
struct StepLosses {
  at::Tensor total, distillation, auxiliary;
};

/// The batch is on the model's device; model and teacher see the mixed images. `teacher` is null
/// where nobody is asked. Without a teacher: the labels' loss, of a distilled model for the mean of
/// its heads. With one (DeiT Eq. 2, 3): (1 − α) · labels + α · distillation; of a distilled model
/// the class head learns the labels and the distillation head the teacher, else the one head learns
/// both. The model's auxiliary loss is added as it is. Both models are asked in training.precision,
/// which requirePrecision() has to have allowed; losses are float32.
StepLosses stepLosses(Model& model, const MixedBatch& batch, const TrainingConfig& config,
                      Teacher* teacher);

class StepRunner {
 public:
  /// With `processes` each of them runs the same steps, on its rows of every batch: gradients,
  /// losses and batch norms are then those of the whole.
  StepRunner(std::shared_ptr<Model> model, at::Device device, const TrainingConfig& config,
             std::uint64_t seed, std::int64_t stepsPerEpoch,
             std::shared_ptr<Teacher> teacher = nullptr,
             std::shared_ptr<Processes> processes = nullptr);

  /// Trains on one batch, in training.accumulate parts: gradients, losses and what is drawn are
  /// those of the whole but for rounding; batch norms see the parts. What is random in it (drop
  /// path, mixing) is drawn from (seed, step) alone. Throws Failure where the loss or the gradient
  /// is not finite; the parameters are then as before. In float16 a gradient that is not finite
  /// skips the step, until scaling it less does not help.
  StepResult run(const Batch& batch, std::int64_t step);

  /// Tells the model that `step` steps are done, of all there will be: its schedules then are where
  /// they are in an uninterrupted run. run() does so too.
  void announce(std::int64_t step);

  /// To be called when the model may have got new parameters (a mask edit).
  void refreshParameters();

  const Schedule& schedule() const { return m_schedule; }
  Optimizer& optimizer() { return *m_optimizer; }
  WeightAverage& average() { return m_average; }
  /// On in float16 alone.
  LossScale& lossScale() { return m_lossScale; }
  /// Null where one process computes everything.
  const GradientSum* gradientSum() const { return m_sum.get(); }

 private:
  /// Losses as numbers on the device; gradients are left in the parameters.
  struct Losses;
  Losses backward(const MixedBatch& batch, const Batch& source, std::int64_t step);
  void addUp(Losses& losses);

  std::shared_ptr<Model> m_model;
  std::shared_ptr<Teacher> m_teacher;      ///< null: labels alone
  std::shared_ptr<Processes> m_processes;  ///< null: this one alone
  at::Device m_device;
  TrainingConfig m_config;
  std::uint64_t m_seed;
  Schedule m_schedule;
  std::unique_ptr<Optimizer> m_optimizer;
  WeightAverage m_average;
  LossScale m_lossScale;
  std::unique_ptr<GradientSum> m_sum;
};

}  // namespace headlight
