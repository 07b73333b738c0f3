// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where a run stands, by the numbers of its log: what is counted as its lines go by.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>

#include "core/training/logs/TrainingTypes.h"

namespace headlight {

/// A number that is not known is NaN, a count 0.
struct RunMetrics {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  std::int64_t epoch = 0, epochs = 0;     ///< that it is in, from 1; of the whole run
  std::int64_t step = 0, steps = 0;       ///< done; of the whole run
  double loss = kUnknown;                 ///< of the newest step
  double learningRate = kUnknown;         ///< of the newest step
  std::string scoreName = kAccuracyName;  ///< what the next three are: EpochPoint::quality()
  double score = kUnknown;                ///< of the last validation, in [0, 1]
  double bestScore = kUnknown;            ///< of all validations after training
  double startScore = kUnknown;           ///< of the weights that the run began with
  double validationLoss = kUnknown;       ///< of the last validation
  double locality = kUnknown;             ///< ALS, the mean over heads, as measured last
  double imagesPerSecond = kUnknown;      ///< of the last 32 steps that were logged
  double secondsRemaining = -1;           ///< at that pace, validation left out; negative: unknown
};

class RunProgress {
 public:
  explicit RunProgress(const TrainingConfig& training)
      : m_batch(training.batchSize), m_epochs(training.epochs) {}

  /// `steps`: of the whole run, as the line says; 0 where it does not (of before this was logged).
  void add(const StepPoint& point, std::int64_t steps);
  void add(const EpochPoint& point);
  void add(const HeadPoint& point);
  void addStart(const EpochPoint& start);

  RunMetrics numbers() const;
  std::int64_t step() const { return m_step; }  ///< the newest in any line
  /// Whether the last epoch was validated, which is the last thing that a run does.
  bool finished() const { return m_epochs > 0 && m_validated >= m_epochs; }
  bool isEmpty() const { return m_lines == 0; }

 private:
  double secondsAStep() const;

  std::int64_t m_batch, m_epochs;
  std::int64_t m_lines = 0, m_step = 0, m_steps = 0, m_validated = 0, m_stepsAnEpoch = 0;
  StepPoint m_newest{0, RunMetrics::kUnknown, RunMetrics::kUnknown, RunMetrics::kUnknown, {}, {}};
  std::string m_scoreName = kAccuracyName;
  double m_score = RunMetrics::kUnknown, m_bestScore = RunMetrics::kUnknown;
  double m_startScore = RunMetrics::kUnknown;
  double m_validationLoss = RunMetrics::kUnknown, m_locality = RunMetrics::kUnknown;
  std::deque<double> m_seconds;  ///< an image, of the newest steps
};

}  // namespace headlight
