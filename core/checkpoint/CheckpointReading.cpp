// SPDX-License-Identifier: GPL-3.0-or-later

// Checkpoint.h: which reader a file is for.

#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/ForeignNames.h"
#include "core/checkpoint/Readers.h"
#include "core/checkpoint/Refusal.h"

namespace headlight {

namespace {

Checkpoint readByContent(const ByteSource& source) {
  if (source.size() == 0) refuse(source.name(), "is empty; copy or download it again");
  const std::string start = source.read(0, std::min<std::uint64_t>(source.size(), 9));
  if (start.starts_with("PK")) return readPthFrom(source);
  if (start.size() == 9 && start[8] == '{') return readSafetensorsFrom(source);
  // readPthFrom knows what else calls itself .pth, and says what to do with it.
  return readPthFrom(source);
}

}  // namespace

Result<Checkpoint> readCheckpoint(const std::filesystem::path& path) {
  return guarded(path.string(), [&] {
    Checkpoint checkpoint = readByContent(*ByteSource::openFile(path));
    useTimmNames(checkpoint);
    return checkpoint;
  });
}

}  // namespace headlight
