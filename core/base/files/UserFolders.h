// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where programs keep what a person makes, by the XDG Base Directory Specification.

#include <filesystem>

namespace headlight {

/// $XDG_DATA_HOME/headlight, or ~/.local/share/headlight: the window's as well. Empty where neither
/// variable names a whole path.
std::filesystem::path userDataFolder();

/// $XDG_CACHE_HOME/headlight, or ~/.cache/headlight: what can be made again. Empty likewise.
std::filesystem::path userCacheFolder();

}  // namespace headlight
