// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Files that people give where a dataset is expected.

#include <filesystem>
#include <string>

namespace headlight {

/// What a file that is no dataset is, and what to do: "is a ZIP archive; unpack it …"; empty where
/// its content says nothing, and for what is no regular file. By its first bytes. `opensArchives`:
/// ZIP archives are data here.
std::string whatFileIs(const std::filesystem::path& path, bool opensArchives = false);

}  // namespace headlight
