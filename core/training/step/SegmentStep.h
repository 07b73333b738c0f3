// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A step of a segmenter. What its losses are divided by follows from the true masks of the whole
// batch, which the processes count together once.

#include <cstdint>

#include "core/models/layers/Precision.h"
#include "core/training/segmentation/SegmentLosses.h"
#include "core/training/step/TaskStep.h"

namespace headlight {

/// What the points of masks are drawn from in a step of a run.
std::uint64_t stepPointSeed(std::uint64_t runSeed, std::int64_t step);

class SegmentStep : public TaskStep {
 public:
  /// The batch has classes of pixels.
  explicit SegmentStep(const StepInputs& inputs);

  /// Throws Failure(InvalidConfig) where the model finds no segments, and as classesIn().
  StepLosses losses(const BatchPart& part) override;

 private:
  SegmentScores scores(const BatchPart& part);
  PointSeeds seeds(const BatchPart& part) const;
  void agree(const SegmentScores& scores);

  Model& m_model;
  const Batch& m_batch;
  const at::Tensor& m_images;
  Precision m_precision;
  Processes* m_processes;
  std::int64_t m_points;  ///< of a mask, at most
  std::uint64_t m_seed;   ///< stepPointSeed()
  SegmentDenominators m_denominators;
  bool m_agreed = false;
};

}  // namespace headlight
