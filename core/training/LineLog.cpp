#include "core/training/LineLog.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <utility>

namespace headlight {
namespace {

constexpr std::size_t kMaxPending = 1u << 20;

Error systemError(const std::filesystem::path& path, const std::string& doing) {
  return {ErrorCode::Io, "could not " + doing + ": " + std::strerror(errno), path.string()};
}

}  // namespace

std::string shortestText(double value) {
  char digits[64];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

LineLog::LineLog(LineLog&& other) noexcept
    : m_path(std::move(other.m_path)),
      m_pending(std::move(other.m_pending)),
      m_descriptor(std::exchange(other.m_descriptor, -1)) {}

LineLog& LineLog::operator=(LineLog&& other) noexcept {
  std::swap(m_path, other.m_path);
  std::swap(m_pending, other.m_pending);
  std::swap(m_descriptor, other.m_descriptor);
  return *this;
}

LineLog::~LineLog() {
  if (m_descriptor >= 0) ::close(m_descriptor);
}

Result<void> LineLog::append(const std::string& line) {
  if (m_pending.size() > kMaxPending) m_pending.erase(0, m_pending.find('\n') + 1);
  m_pending += line + "\n";
  return flush();
}

Result<void> LineLog::flush() {
  if (m_descriptor < 0)
    m_descriptor = ::open(m_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (m_descriptor < 0) return systemError(m_path, "open");
  struct stat status {};
  if (::fstat(m_descriptor, &status) != 0) return systemError(m_path, "look at");
  std::size_t written = 0;
  while (written < m_pending.size()) {
    const ssize_t count =
        ::write(m_descriptor, m_pending.data() + written, m_pending.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const Error error = systemError(m_path, "write");
      // Half a line would spoil the next one; cutting a file needs no space.
      if (::ftruncate(m_descriptor, status.st_size) != 0) return systemError(m_path, "cut back");
      return error;
    }
    written += static_cast<std::size_t>(count);
  }
  m_pending.clear();
  return {};
}

Result<void> LineLog::sync() {
  if (!m_pending.empty())
    if (auto flushed = flush(); !flushed) return flushed;
  if (m_descriptor >= 0 && ::fdatasync(m_descriptor) != 0)
    return systemError(m_path, "flush to the disk");
  return {};
}

Result<void> LineLog::keepWhile(const std::function<bool(const std::string& line)>& keep) {
  std::error_code ignored;
  if (!std::filesystem::exists(m_path, ignored)) return {};
  std::ifstream file(m_path, std::ios::binary);
  if (!file) return systemError(m_path, "open");
  std::uintmax_t kept = 0;
  for (std::string line; std::getline(file, line) && !file.eof() && keep(line);)
    kept += line.size() + 1;
  std::error_code failure;
  std::filesystem::resize_file(m_path, kept, failure);
  if (failure) return Error{ErrorCode::Io, "could not cut: " + failure.message(), m_path.string()};
  return {};
}

std::int64_t integerAt(const Json& json, const char* key) {
  if (!json.is_object() || !json.contains(key) || !json[key].is_number_integer()) return -1;
  return json[key].get<std::int64_t>();
}

void forEachLoggedStep(const std::filesystem::path& file,
                       const std::function<void(const Json& line, std::int64_t step)>& take) {
  std::ifstream stream(file, std::ios::binary);
  for (std::string text; std::getline(stream, text);) {
    const Json line = Json::parse(text, nullptr, false);
    if (const std::int64_t step = integerAt(line, "step"); step >= 0) take(line, step);
  }
}

}  // namespace headlight
