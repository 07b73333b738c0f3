// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files/FileDescriptor.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "core/base/Translation.h"

namespace headlight {

FileDescriptor::~FileDescriptor() {
  if (m_value >= 0) ::close(m_value);
}

int FileDescriptor::close() {
  return ::close(release()) == 0 ? 0 : errno;
}

Error systemFailure(const std::filesystem::path& path, const std::string& doing, int code) {
  std::string message = "could not " + doing + ": " + std::strerror(code);
  if (code == ENOSPC || code == EDQUOT) message += tr("; free some space and try again");
  if (code == EFBIG) message += tr("; raise the limit on the size of files (ulimit -f)");
  return {ErrorCode::Io, message, path.string()};
}

Result<void> writeWhole(const FileDescriptor& file, const void* data, std::size_t size,
                        const std::filesystem::path& path) {
  const char* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(file.get(), bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return systemFailure(path, "write");
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
  return {};
}

Result<std::string> readOpenFile(const FileDescriptor& file, const std::filesystem::path& path,
                                 std::uintmax_t maxBytes) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return systemFailure(path, "look at");
  if (!S_ISREG(status.st_mode))
    return Error{ErrorCode::UnsupportedFile, tr("not a regular file"), path.string()};
  const auto size = static_cast<std::uintmax_t>(status.st_size);
  if (size > maxBytes)
    return Error{ErrorCode::UnsupportedFile,
                 "is " + std::to_string(size) + tr(" bytes; at most ") + std::to_string(maxBytes) +
                     tr(" are read here"),
                 path.string()};
  std::string bytes(size, '\0');
  std::size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t count = ::read(file.get(), bytes.data() + got, bytes.size() - got);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return systemFailure(path, "read");
    if (count == 0) break;  // it shrank while it was read; the caller's format check will tell
    got += static_cast<std::size_t>(count);
  }
  bytes.resize(got);
  return bytes;
}

}  // namespace headlight
