// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/logs/LogTail.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr std::size_t kLongestLine = 16u << 20, kReadBytes = 1u << 16, kTailBytes = 256;

/// At most `size` bytes at `offset`; fewer at the end. Throws Failure.
std::string bytesAt(const FileDescriptor& file, std::int64_t offset, std::size_t size,
                    const std::filesystem::path& path) {
  std::string bytes(size, '\0');
  ssize_t got = 0;
  do
    got = ::pread(file.get(), bytes.data(), size, offset);
  while (got < 0 && errno == EINTR);
  if (got < 0) throw Failure(systemFailure(path, "read"));
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

}  // namespace

bool LogTail::wasRewritten(const OpenFolder& folder) const {
  if (m_offset == 0) return false;
  const auto file = folder.openToRead(m_name);
  if (!file) return file.error().code == ErrorCode::NotFound;
  struct stat status {};
  if (::fstat(file->get(), &status) != 0) return false;
  if (status.st_ino != m_inode || status.st_dev != m_device || status.st_size < m_offset)
    return true;
  const auto tail = guarded(m_name, [&] {
    return bytesAt(*file, m_offset - static_cast<std::int64_t>(m_tail.size()), m_tail.size(),
                   m_name);
  });
  return tail && *tail != m_tail;
}

Result<void> LogTail::read(const OpenFolder& folder,
                           const std::function<void(const std::string&)>& take,
                           const std::stop_token& stop) {
  if (!folder.has(m_name)) return {};
  const auto file = folder.openToRead(m_name);
  if (!file) return file.error();
  const std::filesystem::path path = folder.pathOf(m_name);
  struct stat status {};
  if (::fstat(file->get(), &status) != 0) return systemFailure(path, "look at");
  m_device = status.st_dev;
  m_inode = status.st_ino;
  m_changed = static_cast<double>(status.st_mtim.tv_sec);
  return guarded(path.string(), [&]() -> Result<void> {
    std::string waiting;
    while (!stop.stop_requested()) {
      const std::string piece =
          bytesAt(*file, m_offset + static_cast<std::int64_t>(waiting.size()), kReadBytes, path);
      if (piece.empty()) break;
      std::size_t begin = 0, from = waiting.size();
      waiting += piece;
      for (std::size_t end; (end = waiting.find('\n', from)) != std::string::npos;
           begin = from = end + 1)
        take(waiting.substr(begin, end - begin));
      keepTail(waiting.substr(0, begin));
      waiting.erase(0, begin);
      if (waiting.size() > kLongestLine)
        return Error{ErrorCode::InvalidFile,
                     tr("has a line of more than 16 MB, which no run writes; the rest is not read"),
                     path.string()};
    }
    return {};
  });
}

void LogTail::keepTail(const std::string& read) {
  m_offset += static_cast<std::int64_t>(read.size());
  m_tail += read;
  if (m_tail.size() > kTailBytes) m_tail.erase(0, m_tail.size() - kTailBytes);
}

}  // namespace headlight
