// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An open file of the system, closed when its owner goes. Internal to core.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "core/base/Result.h"

namespace headlight {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int value) : m_value(value) {}
  FileDescriptor(FileDescriptor&& other) noexcept : m_value(std::exchange(other.m_value, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(m_value, other.m_value);
    return *this;
  }
  ~FileDescriptor();

  int get() const { return m_value; }
  bool valid() const { return m_value >= 0; }
  /// Closes it now: errno of a failure (a network drive tells of a full disk here), otherwise 0.
  int close();
  /// Gives it away: the caller closes it.
  int release() { return std::exchange(m_value, -1); }

 private:
  int m_value = -1;
};

/// "could not `doing`: …" for a number of errno; a full disk gets its advice. Io, whatever it is.
Error systemFailure(const std::filesystem::path& path, const std::string& doing, int code = errno);

/// Writes all of it, however often the system has to be asked.
Result<void> writeWhole(const FileDescriptor& file, const void* data, std::size_t size,
                        const std::filesystem::path& path);

/// What is left of a regular file of at most `maxBytes`; its size is asked first, so nothing large
/// is allocated for a file that is refused.
Result<std::string> readOpenFile(const FileDescriptor& file, const std::filesystem::path& path,
                                 std::uintmax_t maxBytes);

}  // namespace headlight
