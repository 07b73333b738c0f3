// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is inside a checkpoint, without a model. No torch type here.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/checkpoint/LoadReport.h"
#include "core/workbench/prompts/TextSide.h"

namespace headlight {

struct TensorEntry {
  std::string name;
  std::string dtype;  ///< "F32", "BF16", … as safetensors names them
  std::vector<std::int64_t> shape;
  std::int64_t bytes = 0;
};

struct CheckpointContents {
  std::string format;                       ///< "safetensors" or "pth"
  std::string source;                       ///< of a .pth: which dictionary was taken
  std::string prefix;                       ///< that was taken off the names
  std::vector<LoadReport::Choice> choices;  ///< as LoadReport's
  std::map<std::string, std::string> metadata;
  std::vector<TensorEntry> tensors;  ///< in the order of the file
  std::vector<std::string> notes;    ///< what was skipped and why
  TextSide textSide;                 ///< of the folder that it lies in
  std::int64_t elements = 0;         ///< of all tensors
  std::int64_t bytes = 0;
};

/// `path`: a file, a folder of the hub or an index of shards, which are read as one; FILE[NAME]
/// (WeightsPlace.h) takes one of its models, and so does `take`, as readCheckpoint's. Errors: as readCheckpoint's.
Result<CheckpointContents> inspectCheckpoint(const std::filesystem::path& path,
                                             const std::string& take = {});

}  // namespace headlight
