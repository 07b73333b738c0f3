// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The folders with models that a person has chosen, kept in a file that window and commands share.
// No torch type here.

#include <filesystem>
#include <vector>

#include "core/base/Result.h"

namespace headlight {

class ModelFolders {
 public:
  /// `file` need not exist: it is made when a folder is added. What cannot be read is as none.
  explicit ModelFolders(std::filesystem::path file) : m_file(std::move(file)) {}
  /// The person's own (core/base/files/UserFolders.h).
  static std::filesystem::path defaultFile();

  std::vector<std::filesystem::path> folders() const;
  /// By its whole path, once. Errors: NotFound (no folder), InvalidArgument (more than 100), Io.
  Result<void> add(const std::filesystem::path& folder) const;
  /// Nothing where it is not among them. Error: Io.
  Result<void> remove(const std::filesystem::path& folder) const;

 private:
  Result<void> write(const std::vector<std::filesystem::path>& folders) const;

  std::filesystem::path m_file;
};

}  // namespace headlight
