// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What lies where in tar shards of WebDataset's format: files of one name up to its first dot
// belong together; an image (.jpg, .png, …) and its class (.cls, a number as text) make a sample,
// other files are passed over. Remembered (RememberedScan.h) until a shard changes.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headlight {

struct ShardSample {
  std::string name;  ///< of the image in the archive
  std::uint32_t shard = 0;
  std::int32_t label = 0;
  std::uint64_t offset = 0;  ///< of its bytes in the archive; offset + size is at most its size
  std::uint64_t size = 0;
};

inline constexpr int kMaxShardClasses = 100'000;

/// For all the shards, in their order and the archives'. Throws Failure, naming shard and sample:
/// InvalidFile (a damaged or shortened shard; an image without class, or two; a class that is no
/// number from 0 to kMaxShardClasses − 1; a shard without images), NotFound, Io.
std::vector<ShardSample> indexShards(const std::filesystem::path& folder,
                                     const std::vector<std::string>& names);

}  // namespace headlight
