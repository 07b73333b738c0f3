// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which tar shards a path means: a folder of them, one of them, or a pattern.

#include <filesystem>
#include <string>
#include <vector>

#include "core/data/Dataset.h"

namespace headlight {

struct ShardNames {
  std::filesystem::path folder;
  std::vector<std::string> names;  ///< below the folder, in order; those of a split
  bool shareOut = false;           ///< there are none for validation: they are shared out
};

/// The texts that a pattern stands for: of each pair of braces {000..146} counts, with as many
/// digits, and {train,val} lists. Failure (InvalidArgument): braces that are open, empty, nested or
/// count down; and, counted before any text is made, over a million texts, one of more than 255
/// bytes, or more than 64 MiB of them.
std::vector<std::string> expandedBraces(const std::string& pattern);

/// A shard is validation's if its name, or the folder in which it lies below a split folder, says
/// val, validation, valid or test as a word of its own, the first of these that any has; those of
/// the others are nobody's. All else is training's. Without any of validation, training's are
/// shared out. Failures: NotFound, InvalidArgument, Io.
ShardNames shardNames(const std::filesystem::path& path, Split split);

/// Whether the path is such a folder, shard or pattern.
bool namesShards(const std::filesystem::path& path);

}  // namespace headlight
