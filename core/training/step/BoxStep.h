// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A step of a detector. Its losses are divided by what all cells of the batch add up to, which no
// part of the batch, and no process, knows alone.

#include "core/models/layers/Precision.h"
#include "core/training/detection/BoxLosses.h"
#include "core/training/step/TaskStep.h"

namespace headlight {

class BoxStep : public TaskStep {
 public:
  /// The batch has boxes.
  explicit BoxStep(const StepInputs& inputs);

  bool countsFirst() const override { return true; }
  /// A forward pass without gradients that counts what the losses are divided by. It leaves the
  /// model's buffers as they are, and draws what the pass for the losses draws if the generators are
  /// seeded alike.
  void count(const BatchPart& part) override;
  void agree() override;

  /// Without count() the part is all that is here. Throws Failure(InvalidConfig) where the model
  /// finds no boxes.
  StepLosses losses(const BatchPart& part) override;

 private:
  CellScores scores(const BatchPart& part);
  BoxLossSums sums(const BatchPart& part);
  void note(const BoxLossSums& sums);

  Model& m_model;
  const Batch& m_batch;
  const at::Tensor& m_images;
  Precision m_precision;
  Processes* m_processes;
  BoxDenominators m_denominators;
  bool m_agreed = false;
};

}  // namespace headlight
