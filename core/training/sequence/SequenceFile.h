// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Sequence models in safetensors files, with their experiment in the metadata, so that one file
// opens by itself. The last checkpoint of a run has its optimizer and position too.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/checkpoint/Checkpoint.h"
#include "core/config/SequenceExperiment.h"
#include "core/models/sequence/SequenceModel.h"
#include "core/training/run/PendingFiles.h"

namespace headlight {

/// How far a run is, and the sums that are open since its last validation.
struct SequencePosition {
  std::int64_t step = 0;           ///< optimizer steps done
  std::int64_t validatedStep = 0;  ///< the last that was validated
  std::optional<double> bestBits;
  double bitsSum = 0;
  std::int64_t bitsSteps = 0;
  std::int64_t trainSequences = 0;  ///< of the data, to notice a change

  /// For training since then; 0 before the first step.
  double meanBits() const {
    return bitsSum / static_cast<double>(std::max<std::int64_t>(bitsSteps, 1));
  }
};

struct SequenceFile {
  SequenceExperiment experiment;
  std::optional<SequencePosition> position;  ///< of the last checkpoint of a run
  NamedTensors weights;
  NamedTensors optimizer;  ///< names without prefix
  NamedTensors average;    ///< names without prefix; empty without a moving average
  std::string run;         ///< id; empty in files of before runs had one
  // For the last checkpoint of a run:
  std::string trainStamp;                        ///< of its data (SequenceSource::stamp)
  Json computedWith;                             ///< RuntimeEnvironment.h
  std::vector<OwedFile> owed;                    ///< that are still to be written
  std::map<std::string, std::string> unwritten;  ///< lines of logs, by the file they belong to
};

/// What was read, or sent by another process. Errors as readSequenceFile(), thrown as Failure.
SequenceFile sequenceFileOf(Checkpoint checkpoint, const std::string& where);

/// What a file `name` of it holds. Keys of the metadata: format ("pt"), sequence_experiment (JSON),
/// run and, with a position, sequence_training (JSON).
OwedFile sequenceFileContent(const std::string& name, const SequenceFile& file);
/// Replaces the file atomically.
Result<void> writeSequenceFile(const OpenFolder& folder, const std::string& name,
                               const SequenceFile& file);

/// Errors: a file that holds no sequence model says what it holds (UnsupportedFile); InvalidFile
/// for metadata that is damaged and for weights whose names or shapes are not those of their
/// experiment. Nothing is made of the size that the experiment claims.
Result<SequenceFile> readSequenceFile(const std::filesystem::path& path);
Result<SequenceFile> readSequenceFile(const OpenFolder& folder, const std::string& name);

/// Copies the weights of a file into a model that begins with them (training.weights). Throws
/// Failure(InvalidFile) that names the first tensor that one of the two lacks, or has in another
/// shape; the model is then as it was.
void startFrom(const SequenceModel& model, const SequenceFile& file, const std::string& where);

/// The model of a file, in evaluation mode on the CPU. Throws Failure(InvalidFile).
std::shared_ptr<SequenceModel> modelOf(const SequenceFile& file, const std::string& where);

}  // namespace headlight
