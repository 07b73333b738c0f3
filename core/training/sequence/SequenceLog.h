// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a training of a sequence model writes down: metrics.csv (a row a validation) and
// metrics.jsonl (steps and validations). Files of before steps per second and memory were written
// down go on without them in metrics.csv.

#include <string>
#include <vector>

#include "core/training/logs/JsonLog.h"
#include "core/training/logs/RunTable.h"
#include "core/training/sequence/SequenceFile.h"

namespace headlight {

struct SequenceStepMetrics {
  std::int64_t step = 0;  ///< optimizer steps done
  double bits = 0;        ///< of the step's batch
  double learningRate = 0;
  double gradientNorm = 0;    ///< before clipping
  double stepsPerSecond = 0;  ///< as SequenceReading's, and so the next
  std::int64_t peakBytes = 0;
};

struct SequenceValidation {
  std::int64_t step = 0;
  double trainBits = 0;  ///< mean over the steps since the last validation
  double validationBits = 0;
  double learningRate = 0;  ///< of the step before it
  bool best = false;
  double seconds = 0;  ///< since the last validation, or since the run went on
  double stepsPerSecond = 0;
  std::int64_t peakBytes = 0;
};

class SequenceLog {
 public:
  SequenceLog(const OpenFolder& folder, const std::string& run);

  Result<void> step(const SequenceStepMetrics& metrics);
  Result<void> validation(const SequenceValidation& validation);
  /// Cuts what was written after a checkpoint, so that a resumed run does not write it twice.
  /// Errors: InvalidFile for a file of another run, which is left as it is.
  Result<void> cutTo(const SequencePosition& position);

  /// By name, for what is still to be written.
  std::vector<LineLog*> logs() { return {&m_table.log(), &m_lines.log()}; }

 private:
  RunTable m_table;
  JsonLog m_lines;
};

}  // namespace headlight
