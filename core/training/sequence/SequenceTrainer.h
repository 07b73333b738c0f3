// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The training loop of a sequence model. Internal to core; the door is
// core/workbench/sequences/SequenceTraining.h.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "core/base/Progress.h"
#include "core/training/sequence/SequenceCheckpoints.h"
#include "core/training/sequence/SharedSequences.h"
#include "core/training/step/GradientSum.h"
#include "core/training/step/MemoryMeter.h"
#include "core/training/step/Schedule.h"

namespace headlight {

/// What is drawn for a step (sequences, dropout) is a function of the seed and the step, so a run
/// that goes on from a checkpoint ends in the weights of one that never stopped. Of several
/// processes each computes its sequences of every step: what is learned is that of the whole.
class SequenceTrainer {
 public:
  using OnReading = std::function<void(const SequenceReading&)>;

  SequenceTrainer(SequenceTrainerParts parts, RunFolder folder);

  /// Before run(): goes on from a checkpoint. Throws Failure(InvalidFile).
  void restore(const SequenceFile& saved);
  /// Before run(): begins anew in a folder that has logs without a checkpoint.
  void restart() { m_checkpoints.restart(); }
  /// Puts every process where process 0 is; to be called once by all of them, before run(). Throws
  /// Failure.
  void share();

  /// Trains to the end or until told to stop; either way the last checkpoint is written. Throws
  /// Failure, of which the other processes get to know.
  SequenceOutcome run(const OnReading& onReading, std::stop_token stop);

 private:
  SequenceOutcome train(const OnReading& onReading, std::stop_token stop);
  bool validationIsDue() const;
  bool validate(const OnReading& onReading, std::stop_token stop);
  Result<SequenceScore> measure(SequenceValidation& done, const OnReading& onReading,
                                std::stop_token stop);
  double backward(const SequenceRows& drawn);
  void step(const SequenceRows& drawn, std::chrono::steady_clock::time_point begun,
            const OnReading& onReading);
  SequenceReading reading(double trainBits) const;
  double stepsPerSecond() const;
  ProgressCallback reportValidating(const OnReading& onReading) const;
  void requireFiniteStep(const std::string& what, double value) const;
  Result<SequenceRows> batch(const std::stop_token& stop) const;
  bool isToStop(const std::stop_token& stop) const;

  SequenceTrainerParts m_parts;
  Schedule m_schedule;
  AdamW m_optimizer;
  WeightAverage m_average;
  std::unique_ptr<GradientSum> m_sum;  ///< null: one process
  SequencePosition m_at;
  SequenceCheckpoints m_checkpoints;
  double m_trainBits = 0;  ///< of the last step
  RemainingTime m_remaining;
  std::chrono::steady_clock::time_point m_since;  ///< the last validation
  double m_stepSeconds = 0;               ///< of the steps since then, as this process knows
  std::int64_t m_timedSteps = 0;          ///< how many they are
  const MemoryMeter* m_memory = nullptr;  ///< while run() goes on
  std::int64_t m_peakBytes = 0;           ///< as it was asked last
};

}  // namespace headlight
