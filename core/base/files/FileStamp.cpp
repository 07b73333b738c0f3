// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files/FileStamp.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace headlight {

std::optional<FileStamp> fileStamp(const OpenFolder& folder, const std::string& name) {
  struct stat status {};
  if (::fstatat(folder.descriptor(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return std::nullopt;
  return FileStamp{status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec,
                   status.st_mtim.tv_nsec};
}

}  // namespace headlight
