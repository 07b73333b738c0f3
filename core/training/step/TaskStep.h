// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How the losses of a step are made, which depends on what the model learns.

#include <cstdint>
#include <memory>

#include "core/data/Loader.h"
#include "core/processes/Processes.h"
#include "core/training/step/StepLosses.h"

namespace headlight {

/// Images [first, first + count) of those of a batch that are here.
struct BatchPart {
  std::int64_t first = 0, count = 0;
  double ofBatch = 1;  ///< their share of the images of the whole batch
};

/// What is drawn in a step is drawn from.
struct StepSeed {
  std::uint64_t seed = 0;
  std::int64_t step = 0;
};

/// What a step is made of; all of it must outlive the step.
struct StepInputs {
  Model& model;
  const MixedBatch& batch;  ///< on the model's device
  const Batch& source;      ///< as loaded
  const TrainingConfig& config;
  Processes* processes = nullptr;  ///< null: this one alone
  Teacher* teacher = nullptr;      ///< null: nobody is asked
  StepSeed seed = {};
};

class TaskStep {
 public:
  virtual ~TaskStep() = default;

  /// Whether all parts of a batch in several go through count(), and then agree() is called, before
  /// any losses().
  virtual bool countsFirst() const { return false; }
  virtual void count(const BatchPart&) {}
  virtual void agree() {}

  /// The losses of a part per image: weighted by ofBatch they add up to those of the whole batch.
  /// Auxiliary losses are added as they are.
  virtual StepLosses losses(const BatchPart& part) = 0;
};

/// A masked autoencoder learns from the images alone; any other model learns what the batch has:
/// boxes, classes of pixels or classes of images.
std::unique_ptr<TaskStep> makeTaskStep(const StepInputs& inputs);

}  // namespace headlight
