// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How long a training step takes in one process or in several, and what of their communication is
// hidden behind the backward pass. No torch type here.

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "core/workbench/bench/Bench.h"
#include "core/workbench/training/DistributedContext.h"

namespace headlight {

struct StepBenchRow {
  std::string name;    ///< of the model
  std::string device;  ///< of process 0
  std::string precision;
  int processes = 1;               ///< over all machines
  std::string sumsBy;              ///< "Gloo", "NCCL 2.21.5"; empty for one process
  int threads = 1;                 ///< of process 0
  std::int64_t batch = 0;          ///< images of a step, over all processes
  double stepMs = 0;               ///< median: forward, backward, sums, clipping, AdamW
  double imagesPerSecond = 0;      ///< batch / median
  std::int64_t gradientBytes = 0;  ///< that the processes add up
  /// That each process sends, and receives, in a ring: 2·(p − 1)/p of gradientBytes (Patarasuk and
  /// Yuan 2009); 0 for one.
  std::int64_t sentBytes = 0;
  double sumMs = 0;   ///< median, from the first sum's beginning to the last's end; 0 for one
  double waitMs = 0;  ///< median of what of it the backward pass did not cover
  /// Share of sumMs that is hidden behind the backward pass, in [0, 1]; 0 for one process.
  double hidden() const { return sumMs > 0 ? 1 - waitMs / sumMs : 0; }
};

/// Training steps of each of options.models in each of options.precisions, on random images of
/// options.batch over all processes; options.repeats of them after two that warm up. Every process
/// calls this, and process 0's `sink` gets a row a model and precision. Errors: Canceled, NotFound,
/// those of Processes, InvalidConfig for a precision that the device does not have, InvalidArgument
/// where the batch has fewer pairs of images than there are processes.
Result<void> benchSteps(const BenchOptions& options, const Launch& launch,
                        const std::function<void(const StepBenchRow&)>& sink, std::stop_token stop);

}  // namespace headlight
