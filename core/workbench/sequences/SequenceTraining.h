// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Training a causal AFT or Transformer on sequences of bytes (core/config/SequenceExperiment.h). No
// torch type here. The doors block their caller's thread.
//
// The folder of a run:
//   config.json        the SequenceExperiment, every parameter written out
//   last.safetensors   weights, optimizer and position: what resuming reads
//   best.safetensors   the weights with the lowest validation bits; their moving average where
//                      there is one
//   metrics.csv        a row a validation: step, learning rate, bits of training and validation,
//                      steps a second, memory
//   metrics.jsonl      a line every so many steps, and one a validation

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/base/Result.h"
#include "core/config/SequenceExperiment.h"
#include "core/models/sequence/SequenceCost.h"
#include "core/training/sequence/SequenceTypes.h"
#include "core/workbench/training/DistributedContext.h"

namespace headlight {

/// Trains in `folder`. Without `resume` it is made if missing and must not hold a run. With it the
/// run that it holds goes on from its last checkpoint, and ends in the same weights, bit for bit on
/// the same device and number of threads, as if never interrupted; `experiment` must then be the
/// run's own (name, device and threads may differ; loadSequenceExperiment() gives it), else
/// InvalidArgument says what differs. A finished run has nothing left to do. Of several processes
/// (`together`) the first calls this and the others joinSequence().
///
/// `onReading` is called from this thread after every step and every validation, and a few times a
/// second within one; it may be empty. A stop request ends it between two steps, while data is read
/// or within a validation, with a checkpoint written.
/// Errors, of which those of the model and the data come before anything is written: InvalidConfig
/// with the JSON path, NotFound, InvalidFile (an empty or too short text says how many bytes are
/// needed); Busy where another program holds the folder, Io, InvalidConfig where the loss is no
/// number any more.
Result<SequenceOutcome> trainSequence(const SequenceExperiment& experiment,
                                      const std::filesystem::path& folder, bool resume,
                                      const std::function<void(const SequenceReading&)>& onReading,
                                      std::stop_token stop,
                                      const DistributedContext& together = {});

/// Takes part in the run of process 0, writing nothing. `own`, where there is one, says on what
/// device and, where it names any, with what data of this machine. Errors as trainSequence().
Result<SequenceOutcome> joinSequence(const std::optional<SequenceExperiment>& own,
                                     const DistributedContext& together, std::stop_token stop);

/// What the run in `folder` has told of the steps before `step`, in order and thinned where there
/// is much; `steps` and `secondsLeft` are not known any more. Empty where there is no log.
std::vector<SequenceReading> sequenceHistory(const std::filesystem::path& folder,
                                             std::int64_t step);

/// The experiment that a run's folder records, or that weights of a run carry. Errors: NotFound, a
/// file that is no sequence model's says what it is.
Result<SequenceExperiment> loadSequenceExperiment(const std::filesystem::path& runFolderOrWeights);

}  // namespace headlight
