// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A step of a masked autoencoder (He et al. 2022). Which patches are dropped is a function of the
// run's seed, the step and an image's row of the whole batch.

#include "core/models/layers/Precision.h"
#include "core/training/step/TaskStep.h"

namespace headlight {

class MaskedAutoencoder;

class RebuildStep : public TaskStep {
 public:
  /// Throws Failure(InvalidConfig) where the model is none (Task::Rebuild).
  explicit RebuildStep(const StepInputs& inputs);

  /// The mean over the images of a part, within its BatchPartScope: parts add up to the whole batch
  /// as every image drops as many patches. Throws Failure(InvalidConfig) while heads are masked.
  StepLosses losses(const BatchPart& part) override;

 private:
  at::Tensor keptBy(const BatchPart& part) const;

  MaskedAutoencoder& m_model;
  const at::Tensor& m_images;
  Precision m_precision;
  StepSeed m_seed;
};

}  // namespace headlight
