// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/Inspect.h"

#include <c10/core/ScalarType.h>

#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/SafetensorsHeader.h"
#include "core/checkpoint/foreign/TimmNames.h"
#include "core/workbench/hub/HubFolder.h"
#include "core/workbench/loading/Weights.h"
#include "core/workbench/loading/WeightsPlace.h"
#include "core/workbench/prompts/PromptHead.h"

namespace headlight {
namespace {

TensorEntry describe(const std::string& name, const at::Tensor& tensor) {
  const auto dtype = safetensorsDtypeName(tensor.scalar_type());
  return {name, dtype ? *dtype : c10::toString(tensor.scalar_type()), tensor.sizes().vec(),
          static_cast<std::int64_t>(tensor.nbytes())};
}

/// Also of what the names of another library would be read as.
std::vector<std::string> notesOf(const Checkpoint& checkpoint) {
  const auto read = guarded("", [&] { return inTimmNames(checkpoint).notes; });
  if (read) return *read;
  std::vector<std::string> notes = checkpoint.notes;
  notes.push_back(read.error().text());
  return notes;
}

}  // namespace

Result<CheckpointContents> inspectCheckpoint(const std::filesystem::path& named,
                                             const std::string& taken) {
  return guarded(named.string(), [&] {
    const auto [path, place] = parseWeightsPlace(named);
    const std::string take = taken.empty() ? place : taken;
    // One shard that is named is looked at alone.
    const bool whole = isWeightsFolder(path) || isShardIndex(path);
    const auto files = whole ? tensorFilesOf(path) : std::vector{path};
    const Checkpoint checkpoint = valueOrThrow(readCheckpoint(files, take));
    CheckpointContents contents;
    contents.format = checkpoint.format;
    contents.source = checkpoint.source;
    contents.prefix = checkpoint.prefix;
    contents.choices = checkpoint.choices;
    contents.metadata = checkpoint.metadata;
    contents.notes = notesOf(checkpoint);
    const std::filesystem::path folder = folderAround(path);
    const auto side = guarded("", [&] { return findTextSide(folder, checkpoint.tensors); });
    if (side) contents.textSide = *side;
    for (const auto& [name, tensor] : checkpoint.tensors) {
      contents.tensors.push_back(describe(name, tensor));
      contents.elements += tensor.numel();
      contents.bytes += contents.tensors.back().bytes;
    }
    return contents;
  });
}

}  // namespace headlight
