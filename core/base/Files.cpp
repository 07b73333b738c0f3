#include "core/base/Files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace headlight {
namespace {

Error systemError(const std::filesystem::path& path, const std::string& doing, int code = errno) {
  std::string message = "could not " + doing + ": " + std::strerror(code);
  if (code == ENOSPC || code == EDQUOT) message += "; free some space and try again";
  return {code == ENOENT ? ErrorCode::NotFound : ErrorCode::Io, message, path.string()};
}

/// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int value) : m_value(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (m_value >= 0) ::close(m_value);
  }
  int get() const { return m_value; }
  bool valid() const { return m_value >= 0; }
  int closeNow() {
    const int outcome = ::close(m_value);
    m_value = -1;
    return outcome;
  }

 private:
  int m_value;
};

void writeAll(int descriptor, const void* data, std::size_t size,
              const std::filesystem::path& path) {
  const char* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(descriptor, bytes, size);
    if (written < 0) {
      if (errno == EINTR) continue;
      throw Failure(systemError(path, "write"));
    }
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
}

void flushFolder(const std::filesystem::path& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.valid() || ::fsync(descriptor.get()) != 0)
    throw Failure(systemError(folder, "flush the folder"));
}

std::filesystem::path folderOf(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

}  // namespace

Result<std::string> readFile(const std::filesystem::path& path, std::uintmax_t maxBytes) {
  return guarded(path.string(), [&]() -> Result<std::string> {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.valid()) return systemError(path, "open");
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) return systemError(path, "look at");
    if (!S_ISREG(status.st_mode))
      return Error{ErrorCode::UnsupportedFile, "not a regular file", path.string()};
    const auto size = static_cast<std::uintmax_t>(status.st_size);
    if (size > maxBytes)
      return Error{ErrorCode::UnsupportedFile,
                   "is " + std::to_string(size) + " bytes; at most " + std::to_string(maxBytes) +
                       " are read here",
                   path.string()};
    std::string bytes(size, '\0');
    std::size_t got = 0;
    while (got < bytes.size()) {
      const ssize_t count = ::read(file.get(), bytes.data() + got, bytes.size() - got);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return systemError(path, "read");
      if (count == 0) break;  // it shrank while it was read; the caller's format check will tell
      got += static_cast<std::size_t>(count);
    }
    bytes.resize(got);
    return bytes;
  });
}

Result<void> writeFileAtomically(const std::filesystem::path& path, std::string_view bytes) {
  return writeFileAtomically(
      path, [&](const AppendBytes& append) { append(bytes.data(), bytes.size()); });
}

Result<void> writeFileAtomically(const std::filesystem::path& path,
                                 const std::function<void(const AppendBytes&)>& write) {
  const std::filesystem::path beside =
      path.string() + ".part" + std::to_string(static_cast<long>(::getpid()));
  auto outcome = guarded(path.string(), [&] {
    Descriptor file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!file.valid()) throw Failure(systemError(path, "create"));
    write([&](const void* data, std::size_t size) { writeAll(file.get(), data, size, path); });
    if (::fsync(file.get()) != 0) throw Failure(systemError(path, "flush to the disk"));
    if (file.closeNow() != 0) throw Failure(systemError(path, "close"));
    if (::rename(beside.c_str(), path.c_str()) != 0) throw Failure(systemError(path, "replace"));
    flushFolder(folderOf(path));
  });
  if (!outcome) ::unlink(beside.c_str());
  return outcome;
}

Result<void> appendLine(const std::filesystem::path& path, std::string_view line) {
  return guarded(path.string(), [&] {
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (!file.valid()) throw Failure(systemError(path, "open"));
    const std::string whole = std::string(line) + "\n";
    writeAll(file.get(), whole.data(), whole.size(), path);
    if (::fdatasync(file.get()) != 0) throw Failure(systemError(path, "flush to the disk"));
  });
}

}  // namespace headlight
