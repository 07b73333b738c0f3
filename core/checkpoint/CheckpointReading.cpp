// SPDX-License-Identifier: GPL-3.0-or-later

// Checkpoint.h: which reader a file is for.

#include "core/base/Translation.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/ForeignNames.h"
#include "core/checkpoint/LegacyPth.h"
#include "core/checkpoint/Readers.h"
#include "core/checkpoint/Refusal.h"

namespace headlight {

namespace {

constexpr std::size_t kLongestStart = 16;

std::string startOf(const ByteSource& source) {
  if (source.size() == 0) refuse(source.name(), tr("is empty; copy or download it again"));
  return source.read(0, std::min<std::uint64_t>(source.size(), kLongestStart));
}

bool isSafetensors(const std::string& start) {
  return !start.starts_with("PK") && start.size() >= 9 && start[8] == '{';
}

TensorFiles openAll(const std::vector<std::filesystem::path>& shards) {
  if (shards.empty()) refuse("", tr("no file is named; download it again"));
  TensorFiles files;
  for (const std::filesystem::path& shard : shards)
    files.push_back(openTensorFile(ByteSource::openFile(shard)));
  return files;
}

/// What this program wrote is read as it is: it says what it holds, and its numbers have checksums.
bool isOwn(const TensorFiles& files) {
  const auto& metadata = files.front()->metadata();
  return metadata.contains("experiment") || metadata.contains("sequence_experiment") ||
         metadata.contains(kChecksumsKey);
}

Checkpoint readAll(const std::vector<std::filesystem::path>& shards, const std::string& take) {
  const TensorFiles files = openAll(shards);
  if (take.empty() && shards.size() == 1 && isOwn(files))
    return readSafetensorsFrom(*ByteSource::openFile(shards.front()));
  return takeTensors(files, take);
}

template <typename Read>
Result<Checkpoint> guardedRead(const std::vector<std::filesystem::path>& shards, Read read) {
  return guarded(shards.empty() ? std::string() : shards.front().string(), [&] {
    Checkpoint checkpoint = read();
    useTimmNames(checkpoint);
    return checkpoint;
  });
}

}  // namespace

std::unique_ptr<TensorFile> openTensorFile(const SharedSource& source) {
  const std::string start = startOf(*source);
  if (isSafetensors(start)) return openSafetensorsFile(source);
  if (isLegacyPth(start)) return openLegacyPth(source);
  // openPth knows what else calls itself .pth, and says what to do with it.
  return openPth(source);
}

Result<Checkpoint> readCheckpoint(const std::filesystem::path& path, const std::string& take) {
  return readCheckpoint(std::vector{path}, take);
}

Result<Checkpoint> readCheckpoint(const std::vector<std::filesystem::path>& shards,
                                  const std::string& take) {
  return guardedRead(shards, [&] { return readAll(shards, take); });
}

Result<Checkpoint> readCheckpointShapes(const std::vector<std::filesystem::path>& shards,
                                        const std::string& take) {
  return guardedRead(shards, [&] {
    const TensorFiles files = openAll(shards);
    return takeShapes(files, take.empty() && isOwn(files) ? kTopOfFile : take);
  });
}

}  // namespace headlight
