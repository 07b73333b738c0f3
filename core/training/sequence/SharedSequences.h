// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The sequences of a step, of which each process of a run reads and computes its own. Between
// reading and computing the processes agree on whether anybody was told to stop, or failed.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <stop_token>

#include "core/attention/base/MicroBatch.h"
#include "core/base/Result.h"
#include "core/data/Sequences.h"
#include "core/processes/Processes.h"

namespace headlight {

struct SequenceRows {
  at::Tensor bytes;   ///< [rows, T] uint8
  MicroBatch part;    ///< which of the whole they are; default: all of it
  double weight = 1;  ///< of their mean in that of the whole, the sum over all processes
};

/// Of a batch of `size` those that are this process's, one after the other; `processes` null: all.
/// Of fewer sequences than processes each computes all. `read` gives the sequence of a row. Errors:
/// Canceled, where any process was told to stop; those of `read`; Io where another process could
/// not read.
Result<SequenceRows> readSequences(std::int64_t size,
                                   const std::function<Result<ByteSequence>(std::int64_t)>& read,
                                   Processes* processes, const std::stop_token& stop);

}  // namespace headlight
