#pragma once
// Where programs keep what a person makes, by the XDG Base Directory Specification.

#include <filesystem>

namespace headlight {

/// $XDG_DATA_HOME/headlight, or ~/.local/share/headlight: the window's as well. Empty where neither
/// variable names a whole path.
std::filesystem::path userDataFolder();

}  // namespace headlight
