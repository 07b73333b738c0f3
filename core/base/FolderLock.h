#pragma once
// Holding a folder against a second writer.

#include <filesystem>
#include <string>

#include "core/base/OpenFolder.h"

namespace headlight {

/// Holds `folder`/.lock for this process until destroyed. A second holder (any process) gets
/// ErrorCode::Busy. The system releases it when the process dies, however it dies; moving the
/// folder does not.
class FolderLock {
 public:
  static Result<FolderLock> acquire(const OpenFolder& folder);
  static Result<FolderLock> acquire(const std::filesystem::path& folder);

  /// A word to whoever holds the folder next, in the file itself; empty where nothing was said.
  std::string note() const;
  Result<void> setNote(const std::string& note) const;

 private:
  FolderLock(FileDescriptor file, std::filesystem::path path)
      : m_file(std::move(file)), m_path(std::move(path)) {}
  FileDescriptor m_file;
  std::filesystem::path m_path;
};

}  // namespace headlight
