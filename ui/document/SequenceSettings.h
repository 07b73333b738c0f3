// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Settings of a sequence model in the window: how images are completed, text
// continued, and which layer is shown.
// Tables, so that ParameterForm shows them.

#include <cstdint>
#include <string>

#include "core/config/Parameter.h"
#include "core/config/SequenceExperiment.h"

namespace headlight {

/// As SequenceSession::complete takes them.
struct CompletionSettings {
  double keptFraction = 0.5;
  int samples = 4;
  double temperature = 1;
  std::int64_t seed = 0;
};

/// As SequenceSession::continueText takes them.
struct ContinuationSettings {
  std::int64_t bytes = 500;
  double temperature = 1;
  std::int64_t seed = 0;
};

/// As SequenceSession::infer takes them.
struct SequenceLookSettings {
  int layer = 0;
};

const ParameterTable& sequenceLookParameters();
const ParameterTable& completionParameters();
const ParameterTable& continuationParameters();

/// The section of a SequenceExperiment by its key, which must be one of sequenceSections().
const Section& sequenceSection(const std::string& key);

/// The default training experiment of the window: small, so that the bits fall within minutes on
/// a CPU. The sizes of the paper take days.
SequenceExperiment smallSequenceExperiment();

}  // namespace headlight
