// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A cache folder for one test, in the place of the person's own.

#include <cstdlib>
#include <optional>
#include <string>

#include "tests/TemporaryFolder.h"

namespace headlight::test {

class CacheFolder {
 public:
  CacheFolder() {
    if (const char* before = std::getenv("XDG_CACHE_HOME")) m_before = before;
    ::setenv("XDG_CACHE_HOME", m_folder.path().c_str(), 1);
  }
  ~CacheFolder() {
    if (m_before)
      ::setenv("XDG_CACHE_HOME", m_before->c_str(), 1);
    else
      ::unsetenv("XDG_CACHE_HOME");
  }
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;

  std::filesystem::path scans() const { return m_folder / "headlight/scans"; }
  /// The only scan that is kept; empty where there is none.
  std::filesystem::path onlyScan() const {
    std::error_code none;
    const std::filesystem::directory_iterator first(scans(), none);
    return none || first == std::filesystem::directory_iterator() ? "" : first->path();
  }

 private:
  TemporaryFolder m_folder;
  std::optional<std::string> m_before;
};

}  // namespace headlight::test
