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
#include "core/training/step/Optimizer.h"
#include "core/training/step/Schedule.h"
#include "core/training/step/StepLosses.h"
#include "core/training/step/WeightAverage.h"
#include "core/training/tuning/TeacherRows.h"

namespace headlight {

struct StepResult {
  double loss = 0;          ///< what was minimized
  double gradientNorm = 0;  ///< before clipping; of a skipped step not finite
  double learningRate = 0;
  std::optional<double> distillationLoss;  ///< before its share is taken; nothing: no teacher
  std::optional<double> auxiliaryLoss;     ///< of the mechanisms; nothing: they have none
  /// Of a detector, with their weights: BoxLosses.
  std::optional<double> classLoss, overlapLoss, sideLoss;
  /// Of a segmenter, and classLoss, with their weights: SegmentLosses.
  std::optional<double> maskLoss, diceLoss;
  bool skipped = false;  ///< nothing was changed: LossScale.h
};

class StepRunner {
 public:
  /// With `processes` each of them runs the same steps, on its rows of every batch: gradients,
  /// losses and batch norms (but normsApart()) are then those of the whole.
  StepRunner(std::shared_ptr<Model> model, at::Device device, const TrainingConfig& config,
             std::uint64_t seed, std::int64_t stepsPerEpoch,
             std::shared_ptr<Teacher> teacher = nullptr,
             std::shared_ptr<Processes> processes = nullptr,
             std::shared_ptr<const TeacherRows> rows = nullptr);

  /// Trains on one batch, on its boxes or the classes of its pixels where it has some, in
  /// training.accumulate parts: gradients, losses and what is drawn are those of the whole but for
  /// rounding; batch norms see the parts. What is random in it (drop path, mixing, points of masks)
  /// is drawn from (seed, step) alone. Parts of a batch with boxes go through the model twice:
  /// BoxStep.h. Throws Failure where the loss or the gradient
  /// is not finite; the parameters are then as before. In float16 a gradient that is not finite
  /// skips the step, until scaling it less does not help.
  StepResult run(const Batch& batch, std::int64_t step);

  /// Tells the model that `step` steps are done, of all there will be: its schedules then are where
  /// they are in an uninterrupted run, and what learns (training.head_epochs) is what learns there.
  /// run() does so too. To be called before the optimizer's state is loaded.
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
  /// A part of the batch, and what of its sum over all processes it counts.
  struct Part;
  template <typename Pass>
  void eachPart(const Batch& source, std::int64_t step, Pass pass);
  /// Losses as numbers on the device, in double; gradients are left in the parameters.
  StepLosses backward(const MixedBatch& batch, const Batch& source, std::int64_t step);
  void addUp(StepLosses& losses);
  bool trainsHeadAlone(std::int64_t step) const { return step < m_headSteps; }
  Optimizer::RateRule rates() const;

  std::shared_ptr<Model> m_model;
  std::shared_ptr<Teacher> m_teacher;         ///< null: labels alone
  std::shared_ptr<Processes> m_processes;     ///< null: this one alone
  std::shared_ptr<const TeacherRows> m_rows;  ///< null: no file of a teacher
  at::Device m_device;
  TrainingConfig m_config;
  std::uint64_t m_seed;
  Schedule m_schedule;
  std::int64_t m_headSteps;  ///< in which the head alone is trained
  bool m_headAlone;
  std::unique_ptr<Optimizer> m_optimizer;
  WeightAverage m_average;
  LossScale m_lossScale;
  std::unique_ptr<GradientSum> m_sum;
};

}  // namespace headlight
