// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a training of a sequence model tells of itself, in plain types:
// core/workbench/sequences/SequenceTraining.h and SequenceSession.h hand them on.

#include <cstdint>
#include <filesystem>
#include <optional>

namespace headlight {

/// After a step, now and then in the validation that follows it, and after that. Bits are those of
/// a byte: bits/dim of images, bits/char of text.
struct SequenceReading {
  std::int64_t step = 0;   ///< optimizer steps done, from 1
  std::int64_t steps = 0;  ///< of the whole run
  /// For this step's batch; at a validation, the mean over the steps since the last one.
  double trainBits = 0;
  std::optional<double> validationBits;  ///< nothing but in the reading that follows a validation
  double secondsLeft = -1;               ///< of the run; negative: unknown yet
  /// Optimizer steps a second since the last validation, or since the run went on; in the reading
  /// of a validation, and of one that goes on, up to it. Validations and saving do not count; 0:
  /// not known.
  double stepsPerSecond = 0;
  /// Most memory so far since the run began or went on (MemoryMeter.h): of the process on the CPU,
  /// of tensors on a GPU. In bytes; 0: not known.
  std::int64_t peakBytes = 0;
  /// A validation goes on: the step and its bits are once more those of the step before it.
  bool validating = false;
  double validationFraction = 0;  ///< of that validation, from 0 to 1
};

struct SequenceOutcome {
  bool finished = false;             ///< false: stopped
  std::int64_t steps = 0;            ///< done, those before a resumption included
  std::optional<double> bestBits;    ///< lowest of validation; nothing before the first validation
  std::filesystem::path last, best;  ///< checkpoints; `best` is empty before the first validation
};

struct SequenceScore {
  double bits = 0;             ///< mean over all bytes: bits/dim of images, bits/char of text
  std::int64_t sequences = 0;  ///< images, or pieces of text of at most T bytes
  std::int64_t bytes = 0;      ///< predicted, each from those before it in its sequence
  std::int64_t skipped = 0;    ///< images that could not be read
  double seconds = 0;
};

}  // namespace headlight
