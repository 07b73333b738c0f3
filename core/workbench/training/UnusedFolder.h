// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where a process that writes nothing has its run's lock. Internal to core/workbench.

#include <string>

namespace headlight {

/// A new folder among the temporary ones; gone with all that is in it when this is.
class UnusedFolder {
 public:
  /// Throws Failure(Io).
  UnusedFolder();
  ~UnusedFolder();
  UnusedFolder(const UnusedFolder&) = delete;
  UnusedFolder& operator=(const UnusedFolder&) = delete;
  const std::string& path() const { return m_path; }

 private:
  std::string m_path;
};

}  // namespace headlight
