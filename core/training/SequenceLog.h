#pragma once
// What a training of a sequence model writes down: metrics.csv (a row a validation) and
// metrics.jsonl (steps and validations).

#include <filesystem>

#include "core/training/LineLog.h"
#include "core/training/SequenceFile.h"

namespace headlight {

struct SequenceStepMetrics {
  std::int64_t step = 0;  ///< optimiser steps done
  double bits = 0;        ///< of the step's batch
  double learningRate = 0;
  double gradientNorm = 0;  ///< before clipping
};

struct SequenceValidation {
  std::int64_t step = 0;
  double trainBits = 0;  ///< mean over the steps since the last validation
  double validationBits = 0;
  double learningRate = 0;  ///< of the step before it
  bool best = false;
  double seconds = 0;  ///< since the last validation, or since the run went on
};

class SequenceLog {
 public:
  explicit SequenceLog(const std::filesystem::path& folder);

  Result<void> step(const SequenceStepMetrics& metrics);
  Result<void> validation(const SequenceValidation& validation);
  Result<void> sync();
  /// Cuts what was written after a checkpoint, so that a resumed run does not write it twice.
  Result<void> cutTo(const SequencePosition& position);

 private:
  LineLog m_table, m_lines;
  bool m_headed = false;  ///< whether metrics.csv has been given its first row
};

}  // namespace headlight
