// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Any checkpoint as safetensors. No torch type here.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/config/Experiment.h"
#include "core/workbench/evaluation/BranchReport.h"

namespace headlight {

/// Images on which dropping the branch must be free before the file is written.
struct BranchCheck {
  ModelSource source;  ///< of the file that is converted
  ImageSample sample;
  bool anyway = false;  ///< written where it is not free, too; ConvertOutcome::castling says it
};

struct ConvertOptions {
  std::string dtype;  ///< one of convertDtypeNames() for every floating tensor; empty: as they are
  bool weightsOnly =
      false;  ///< leave out the optimizer and moving averages of a training checkpoint
  /// Written into the metadata in place of what was there. The weights must fit its model.
  std::optional<Experiment> experiment;
  /// Inference with the saved model goes without its auxiliary branch (Castling-ViT, §3.2.2). Of
  /// the experiment above, or the one that the file carries; the weights stay as they are.
  bool withoutBranch = false;
  /// For `withoutBranch`: counts the branch's nonzeros first; nothing: no check.
  std::optional<BranchCheck> check;
};

struct ConvertOutcome {
  std::int64_t tensors = 0;
  std::int64_t bytes = 0;  ///< of the tensors
  /// Tensors with finite values that became infinite in the new dtype.
  std::vector<std::string> overflowed;
  std::vector<std::string> notes;        ///< what the reader skipped and why
  std::optional<BranchReport> castling;  ///< of the weights as they are written
};

/// What ConvertOptions::dtype takes: "f32, f16, bf16".
std::string convertDtypeNames();

/// Reads `in` (a file, or FILE[NAME] for one of its models: WeightsPlace.h) whole and writes `out` atomically; metadata is kept. Errors: those of reading and
/// writing, an unknown dtype, weights that do not fit the experiment's model; of a check those of
/// evaluating, Canceled, and InvalidArgument where dropping the branch is not free: then
/// nothing is written.
Result<ConvertOutcome> convertCheckpoint(const std::filesystem::path& in,
                                         const std::filesystem::path& out,
                                         const ConvertOptions& options,
                                         const ProgressCallback& progress = {},
                                         std::stop_token stop = {});

}  // namespace headlight
