// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files/OutputTarget.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr int kMaxLinks = 40;  // Linux's own limit

Error refusedOutput(const std::string& message, const std::filesystem::path& path) {
  return {ErrorCode::InvalidArgument, message, path.string()};
}

Error unreachable(const std::filesystem::path& path) {
  return {errno == ENOENT ? ErrorCode::NotFound : ErrorCode::Io,
          std::string(tr("could not inspect this output: ")) + std::strerror(errno), path.string()};
}

const char* kindOf(mode_t mode) {
  return S_ISDIR(mode)    ? "a folder"
         : S_ISFIFO(mode) ? "a pipe"
         : S_ISSOCK(mode) ? "a socket"
                          : "a device";
}

}  // namespace

Result<OutputTarget> outputTarget(const std::filesystem::path& path) {
  std::filesystem::path target = path;
  for (int links = 0; links <= kMaxLinks; ++links) {
    struct stat status {};
    if (::lstat(target.c_str(), &status) != 0) {
      if (errno == ENOENT) return OutputTarget{target, std::nullopt};
      if (errno == ELOOP) break;
      return unreachable(path);
    }
    if (S_ISREG(status.st_mode)) return OutputTarget{target, status};
    if (!S_ISLNK(status.st_mode))
      return refusedOutput(std::string("is ") + kindOf(status.st_mode) +
                               tr(", which an output does not replace; give a file name"),
                           path);
    std::error_code failure;
    const auto next = std::filesystem::read_symlink(target, failure);
    if (failure) return unreachable(path);
    target = target.parent_path() / next;  // an absolute one takes the whole place
  }
  return refusedOutput(tr("is a circular symbolic link; give a file name"), path);
}

bool keepOwnerAndMode(int descriptor, const struct stat& replaced) {
  mode_t mode = replaced.st_mode & 07777;
  struct stat own {};
  if (::fstat(descriptor, &own) != 0) return false;
  const bool owner =
      own.st_uid == replaced.st_uid || ::fchown(descriptor, replaced.st_uid, -1) == 0;
  const bool group =
      own.st_gid == replaced.st_gid || ::fchown(descriptor, -1, replaced.st_gid) == 0;
  if (!owner || !group) mode &= 0777;
  if (!group) mode &= ~static_cast<mode_t>(070) | (mode & 07) << 3;
  return ::fchmod(descriptor, mode) == 0;
}

}  // namespace headlight
