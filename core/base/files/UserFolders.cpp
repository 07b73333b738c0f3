// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files/UserFolders.h"

#include <cstdlib>

namespace headlight {
namespace {

/// Relative paths are to be ignored, says the specification.
std::filesystem::path absolutePathIn(const char* variable) {
  const char* value = std::getenv(variable);
  const std::filesystem::path path = value ? value : "";
  return path.is_absolute() ? path : std::filesystem::path();
}

}  // namespace

std::filesystem::path userDataFolder() {
  if (const auto data = absolutePathIn("XDG_DATA_HOME"); !data.empty()) return data / "headlight";
  const auto home = absolutePathIn("HOME");
  return home.empty() ? home : home / ".local" / "share" / "headlight";
}

std::filesystem::path userCacheFolder() {
  if (const auto cache = absolutePathIn("XDG_CACHE_HOME"); !cache.empty())
    return cache / "headlight";
  const auto home = absolutePathIn("HOME");
  return home.empty() ? home : home / ".cache" / "headlight";
}

}  // namespace headlight
