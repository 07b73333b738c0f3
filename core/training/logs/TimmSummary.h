// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// summary.csv: a row an epoch under the head and in the units of timm's train.py, for tools that
// read its runs: epochs count from 0, accuracies are percentages, and `lr` is the learning rate of
// the epoch's last step (timm, utils/summary.py).

#include <cstdint>

#include "core/training/logs/LineLog.h"
#include "core/training/logs/TrainingTypes.h"

namespace headlight {

class TimmSummary {
 public:
  /// Scores are those of the task: scoreNames().
  TimmSummary(const OpenFolder& folder, Task task);

  /// Adds a row, under the head where there is none yet. Errors: as LineLog::append.
  Result<void> append(const EpochPoint& point, double learningRate);
  /// Cuts it behind the first `epochs` epochs. Throws Failure(InvalidFile) where the head is
  /// another: it is no run's of this program.
  void keepEpochs(std::int64_t epochs);

  LineLog& log() { return m_log; }

 private:
  OpenFolder m_folder;
  std::string m_columns;
  LineLog m_log;
  bool m_headed = false;
};

}  // namespace headlight
