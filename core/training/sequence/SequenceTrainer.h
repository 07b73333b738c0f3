// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The training loop of a sequence model. Internal to core; core/workbench/sequences/SequenceTraining.h is the
// door.

#include <c10/core/Device.h>

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>

#include "core/base/Progress.h"
#include "core/data/Sequences.h"
#include "core/training/run/PendingWrites.h"
#include "core/training/run/RunFolder.h"
#include "core/training/sequence/SequenceFile.h"
#include "core/training/sequence/SequenceLog.h"
#include "core/training/sequence/SequenceTypes.h"
#include "core/training/step/AdamW.h"
#include "core/training/step/MemoryMeter.h"
#include "core/training/step/Schedule.h"
#include "core/training/step/WeightAverage.h"

namespace headlight {

struct SequenceTrainerParts {
  SequenceExperiment experiment;
  std::shared_ptr<SequenceModel> model;  ///< on `device`, with the weights to begin with
  std::shared_ptr<const SequenceSource> train, validation;
  at::Device device = at::kCPU;
  std::string run;  ///< its id; empty: of before runs had one
};

/// What is drawn for a step (sequences, dropout) is a function of the seed and the step, so a run
/// that goes on from a checkpoint ends in the weights of one that never stopped.
class SequenceTrainer {
 public:
  using OnReading = std::function<void(const SequenceReading&)>;

  SequenceTrainer(SequenceTrainerParts parts, RunFolder folder);

  /// Before run(): goes on from a checkpoint. Throws Failure(InvalidFile).
  void restore(const SequenceFile& saved);
  /// Before run(): begins anew in a folder that has logs without a checkpoint.
  void restart();

  /// Trains to the end or until told to stop; either way the last checkpoint is written. Throws
  /// Failure.
  SequenceOutcome run(const OnReading& onReading, std::stop_token stop);

 private:
  bool validationIsDue() const;
  void save();
  void saveBeforeTheFirst();
  bool validate(const OnReading& onReading, std::stop_token stop);
  Result<SequenceScore> measure(SequenceValidation& done, const OnReading& onReading,
                                std::stop_token stop);
  void step(const at::Tensor& drawn, std::chrono::steady_clock::time_point begun,
            const OnReading& onReading);
  SequenceReading reading(double trainBits) const;
  double stepsPerSecond() const;
  ProgressCallback tellValidating(const OnReading& onReading) const;
  void requireFiniteStep(const std::string& what, double value) const;
  Result<at::Tensor> batch(const std::stop_token& stop) const;
  void saveIfDue();
  [[noreturn]] void failOnData(const Error& error);
  SequenceFile file(bool withTraining) const;
  Result<void> saveLast();
  void saveLastOrFail(const std::string& occasion);
  void requireFolder() const;

  SequenceTrainerParts m_parts;
  RunFolder m_folder;
  SequenceLog m_log;
  PendingWrites m_debts;
  std::string m_stamp;  ///< of the training data
  Schedule m_schedule;
  AdamW m_optimizer;
  WeightAverage m_average;
  SequencePosition m_at;
  double m_trainBits = 0;     ///< of the last step
  std::int64_t m_tried = 0;   ///< the step of the last attempt to save
  std::int64_t m_saved = -1;  ///< the step that last.safetensors holds
  std::int64_t m_savedValidation = -1;
  RemainingTime m_remaining;
  std::chrono::steady_clock::time_point m_since;  ///< the last validation
  double m_stepSeconds = 0;               ///< of the steps since then, as this process knows
  std::int64_t m_timedSteps = 0;          ///< how many they are
  const MemoryMeter* m_memory = nullptr;  ///< while run() goes on
  std::int64_t m_peakBytes = 0;           ///< as it was asked last
};

}  // namespace headlight
