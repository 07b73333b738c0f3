// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tar shards of WebDataset's format (ShardIndex.h), named by a folder, a shard or a pattern
// (ShardNames.h). Classes are numbers, from 0 to the greatest in any split, and so are their names.
//
// An epoch reads them nearly in sequence: EpochOrder.h.

#include <filesystem>

#include "core/data/Subset.h"

namespace headlight {

Result<OpenedSource> openShards(const DatasetSpec& spec, Split split);

/// Whether `path` is a folder with tar shards in it or in its train/ or validation folder, a shard,
/// or a pattern of shards that are there.
bool looksLikeShards(const std::filesystem::path& path);

}  // namespace headlight
