// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How well a sequence model predicts bytes.

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <stop_token>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/data/Sequences.h"
#include "core/models/sequence/SequenceModel.h"
#include "core/processes/Processes.h"
#include "core/training/sequence/SequenceTypes.h"

namespace headlight {

/// The mean over all bytes of −log₂ p(byte): logits [B, t, 256], bytes [B, t]. A scalar.
at::Tensor sequenceBits(const at::Tensor& logits, const at::Tensor& bytes);

/// Sequences of one length as [B, t] uint8.
at::Tensor byteTensor(const std::vector<ByteSequence>& sequences);

/// Sequences at a time in a measurement, whatever the training's batch is.
constexpr std::int64_t kMostEvaluatedTogether = 16;

struct SequenceEvaluation {
  std::int64_t samples = 0;  ///< at most so many, spread evenly over the source; 0: all
  std::int64_t batchSize = kMostEvaluatedTogether;
  at::Device device = at::kCPU;
  Processes* processes = nullptr;  ///< each of which measures a part; null: this one all
};

/// The model in evaluation mode meanwhile and put back afterwards; draws no random number. Of
/// several processes each has the score of all. Errors: Canceled, where any was told to stop; an
/// error of the source where none of its sequences can be read.
Result<SequenceScore> evaluateSequences(SequenceModel& model, const SequenceSource& source,
                                        const SequenceEvaluation& options,
                                        const ProgressCallback& progress = {},
                                        std::stop_token stop = {});

}  // namespace headlight
