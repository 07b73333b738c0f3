// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How much memory is left for this process, and refusing what would not fit before it is allocated.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace headlight {

/// Bytes that can be had without swapping: the least of what the system has available, what the
/// control groups that the process is in (version 1 or 2) leave once their page cache is given
/// back, and the limit of the address space (ulimit -v). Nothing where nobody says. `root` is where
/// /proc and /sys lie.
std::optional<std::int64_t> freeMemory(const std::filesystem::path& root = "/");

/// "12.9 GB", "85 MB".
std::string bytesText(std::int64_t bytes);

/// Throws Failure(Io) with both sizes where `bytes` are more than `free`. `what` needs them: "a
/// model of 3 million parameters".
void requireMemory(std::int64_t bytes, const std::string& what,
                   std::optional<std::int64_t> free = freeMemory());

}  // namespace headlight
