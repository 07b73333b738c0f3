// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Folders that hold training runs and are none themselves.

#include <cstddef>
#include <filesystem>
#include <stop_token>

namespace headlight {

/// How many runs a folder holds, up to two levels below; 1 for a run itself. Blocks; 0 where `stop`
/// is asked for.
std::size_t countRunsIn(const std::filesystem::path& folder, const std::stop_token& stop = {});

}  // namespace headlight
