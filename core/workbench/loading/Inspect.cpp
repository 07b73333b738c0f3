// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/Inspect.h"

#include <c10/core/ScalarType.h>

#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/SafetensorsHeader.h"

namespace headlight {
namespace {

TensorEntry describe(const std::string& name, const at::Tensor& tensor) {
  const auto dtype = safetensorsDtypeName(tensor.scalar_type());
  return {name, dtype ? *dtype : c10::toString(tensor.scalar_type()), tensor.sizes().vec(),
          static_cast<std::int64_t>(tensor.nbytes())};
}

}  // namespace

Result<CheckpointContents> inspectCheckpoint(const std::filesystem::path& path) {
  return guarded(path.string(), [&] {
    const Checkpoint checkpoint = valueOrThrow(readCheckpoint(path));
    CheckpointContents contents;
    contents.format = checkpoint.format;
    contents.source = checkpoint.source;
    contents.metadata = checkpoint.metadata;
    contents.notes = checkpoint.notes;
    for (const auto& [name, tensor] : checkpoint.tensors) {
      contents.tensors.push_back(describe(name, tensor));
      contents.elements += tensor.numel();
      contents.bytes += contents.tensors.back().bytes;
    }
    return contents;
  });
}

}  // namespace headlight
