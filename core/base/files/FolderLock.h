// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Holding a folder against a second writer.

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/files/OpenFolder.h"

namespace headlight {

/// Holds `folder`/.lock for this process until it and all its copies are destroyed. A second holder
/// (any process) gets ErrorCode::Busy. The system releases it when the process dies, however it
/// dies; moving the folder does not. It is flock(2)'s, which Linux makes a lock of the server's
/// where the folder lies on NFS: it then holds against other machines too.
class FolderLock {
 public:
  enum class Kind {
    Alone,  ///< nobody else holds it
    Shared  ///< others may hold it who share it too
  };
  static Result<FolderLock> acquire(const OpenFolder& folder, Kind kind = Kind::Alone);
  static Result<FolderLock> acquire(const std::filesystem::path& folder);

  /// A note for the next holder of the folder, in the lock file; empty if there is none.
  std::string note() const;
  Result<void> setNote(const std::string& note) const;

 private:
  FolderLock(FileDescriptor file, std::filesystem::path path)
      : m_file(std::make_shared<const FileDescriptor>(std::move(file))), m_path(std::move(path)) {}
  std::shared_ptr<const FileDescriptor> m_file;
  std::filesystem::path m_path;
};

/// An open folder and the lock on it.
struct HeldFolder {
  OpenFolder files;
  FolderLock lock;
};

}  // namespace headlight
