// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a command leaves in a folder: whether it is whole, and whether it is the same as elsewhere.

#include <filesystem>
#include <map>
#include <string>

namespace headlight::testing {

/// By path within the folder: every file's bytes, but for what a clock wrote into them. Without
/// locks and what is written beside a file that it is to replace.
using Outputs = std::map<std::string, std::string>;
Outputs outputsOf(const std::filesystem::path& folder);

/// In what two differ, in words; empty: they are the same.
std::string differenceOf(const Outputs& expected, const Outputs& found);

/// Why a file cannot be read as what its name promises; empty where it can.
std::string damageOf(const std::filesystem::path& file);

}  // namespace headlight::testing
