#include "core/base/Files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/OutputTarget.h"

namespace headlight {
namespace {

Error systemError(const std::filesystem::path& path, const std::string& doing, int code = errno) {
  std::string message = "could not " + doing + ": " + std::strerror(code);
  if (code == ENOSPC || code == EDQUOT) message += "; free some space and try again";
  if (code == EFBIG) message += "; raise the limit on the size of files (ulimit -f)";
  if (code == ELOOP) message += "; the link leads round in a circle, give the file itself";
  const bool nothing = code == ENOENT || code == ENOTDIR || code == ELOOP;
  return {nothing ? ErrorCode::NotFound : ErrorCode::Io, message, path.string()};
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

Result<void> writeStraightThrough(int descriptor, const std::string& name,
                                  const std::function<void(const AppendBytes&)>& write) {
  return guarded(name, [&] {
    write([&](const void* data, std::size_t size) { writeAll(descriptor, data, size, name); });
  });
}

/// Makes the new file beside the old one; `asked` is the path that messages name.
void writeBeside(const std::filesystem::path& beside, const OutputTarget& target,
                 const std::filesystem::path& asked,
                 const std::function<void(const AppendBytes&)>& write) {
  // What replaces a private file is private from its first byte on.
  const mode_t mode = target.replaced ? 0600 : 0666;
  Descriptor file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
  if (!file.valid()) throw Failure(systemError(asked, "create"));
  write([&](const void* data, std::size_t size) { writeAll(file.get(), data, size, asked); });
  if (target.replaced && !keepOwnerAndMode(file.get(), *target.replaced))
    throw Failure(systemError(asked, "keep the permissions"));
  if (::fsync(file.get()) != 0) throw Failure(systemError(asked, "flush to the disk"));
  if (file.closeNow() != 0) throw Failure(systemError(asked, "close"));
}

void replaceFile(const OutputTarget& target, const std::filesystem::path& asked,
                 const std::function<void(const AppendBytes&)>& write) {
  const std::filesystem::path beside =
      target.path.string() + ".part" + std::to_string(static_cast<long>(::getpid()));
  try {
    writeBeside(beside, target, asked, write);
    if (::rename(beside.c_str(), target.path.c_str()) != 0)
      throw Failure(systemError(asked, "replace"));
  } catch (...) {
    ::unlink(beside.c_str());
    throw;
  }
  flushFolder(folderOf(target.path));
}

}  // namespace

bool mayBeThere(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown) || unknown;
}

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
  if (path == kStandardOutput) return writeStraightThrough(STDOUT_FILENO, "standard output", write);
  const auto target = outputTarget(path);
  if (!target) return target.error();
  return guarded(path.string(), [&] { replaceFile(*target, path, write); });
}

Result<void> writeNewFile(const std::filesystem::path& path, std::string_view bytes) {
  return guarded(path.string(), [&] {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file.valid()) throw Failure(systemError(path, "create"));
    writeAll(file.get(), bytes.data(), bytes.size(), path);
    if (file.closeNow() != 0) throw Failure(systemError(path, "close"));
  });
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

Result<FolderLock> FolderLock::acquire(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / ".lock";
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return systemError(path, "open the lock");
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    const int code = errno;
    ::close(descriptor);
    if (code == EWOULDBLOCK)
      return Error{ErrorCode::Busy,
                   "another Headlight is writing this run folder; stop it or choose another folder",
                   folder.string()};
    return systemError(path, "lock", code);
  }
  return FolderLock(descriptor);
}

FolderLock::FolderLock(FolderLock&& other) noexcept : m_descriptor(other.m_descriptor) {
  other.m_descriptor = -1;
}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(m_descriptor, other.m_descriptor);
  return *this;
}

FolderLock::~FolderLock() {
  if (m_descriptor >= 0) ::close(m_descriptor);
}

}  // namespace headlight
