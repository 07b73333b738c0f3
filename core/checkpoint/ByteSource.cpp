// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/ByteSource.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/Translation.h"
#include "core/checkpoint/Refusal.h"

namespace headlight {
namespace {

class FileSource : public ByteSource {
 public:
  FileSource(std::string name, std::uint64_t size, FileDescriptor file)
      : ByteSource(std::move(name), size), m_file(std::move(file)) {}

 protected:
  void copy(std::uint64_t offset, void* target, std::uint64_t size) const override {
    char* bytes = static_cast<char*>(target);
    while (size > 0) {
      const ssize_t got = ::pread(m_file.get(), bytes, size, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0)
        refuse(name(), std::string(tr("could not read: ")) + std::strerror(errno), ErrorCode::Io);
      if (got == 0)
        refuse(name(), tr("became shorter while it was read; wait for its writer and try again"),
               ErrorCode::Io);
      bytes += got;
      offset += static_cast<std::uint64_t>(got);
      size -= static_cast<std::uint64_t>(got);
    }
  }

 private:
  FileDescriptor m_file;
};

class MemorySource : public ByteSource {
 public:
  MemorySource(std::string name, std::string_view bytes)
      : ByteSource(std::move(name), bytes.size()), m_bytes(bytes) {}

 protected:
  void copy(std::uint64_t offset, void* target, std::uint64_t size) const override {
    if (size > 0) std::memcpy(target, m_bytes.data() + offset, size);
  }

 private:
  std::string_view m_bytes;
};

}  // namespace

std::unique_ptr<ByteSource> ByteSource::openFile(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a pipe that nobody writes to must not hang.
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) {
    const bool nothing = errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
    const char* remedy = errno == ELOOP ? "; the symbolic link is circular, give the file" : "";
    refuse(path.string(), std::string(tr("could not open: ")) + std::strerror(errno) + remedy,
           nothing ? ErrorCode::NotFound : ErrorCode::Io);
  }
  return ofFile(std::move(file), path.string());
}

std::unique_ptr<ByteSource> ByteSource::ofFile(FileDescriptor file, const std::string& name) {
  struct stat status {};
  const bool known = ::fstat(file.get(), &status) == 0;
  if (!known || !S_ISREG(status.st_mode))
    refuse(name, tr("is not a regular file; choose a .safetensors or .pth file"),
           known ? ErrorCode::UnsupportedFile : ErrorCode::Io);
  return std::make_unique<FileSource>(name, static_cast<std::uint64_t>(status.st_size),
                                      std::move(file));
}

std::unique_ptr<ByteSource> ByteSource::overMemory(std::string_view bytes, std::string name) {
  return std::make_unique<MemorySource>(std::move(name), bytes);
}

void ByteSource::checkRange(std::uint64_t offset, std::uint64_t size) const {
  if (offset > m_size || size > m_size - offset)
    refuse(m_name, tr("is cut short: ") + std::to_string(size) + tr(" bytes are expected at ") +
                       std::to_string(offset) + tr(", but it ends at ") + std::to_string(m_size) +
                       tr("; copy or download it again"));
}

void ByteSource::read(std::uint64_t offset, void* target, std::uint64_t size) const {
  checkRange(offset, size);
  copy(offset, target, size);
}

std::string ByteSource::read(std::uint64_t offset, std::uint64_t size) const {
  checkRange(offset, size);
  std::string bytes(size, '\0');
  copy(offset, bytes.data(), size);
  return bytes;
}

std::string_view ByteCursor::bytes(std::uint64_t count) {
  if (count > remaining())
    refuse(m_where, m_what + tr(" is cut short at byte ") + std::to_string(m_position) +
                        tr(": the file is damaged; copy or download it again"));
  const std::string_view result = m_bytes.substr(m_position, count);
  m_position += count;
  return result;
}

std::string_view ByteCursor::line() {
  const std::size_t end = m_bytes.find('\n', m_position);
  const std::string_view result =
      bytes(end == std::string_view::npos ? remaining() + 1 : end - m_position);
  ++m_position;
  return result;
}

std::uint64_t ByteCursor::number(int count) {
  const std::string_view raw = bytes(static_cast<std::uint64_t>(count));
  std::uint64_t value = 0;
  for (int i = count - 1; i >= 0; --i)
    value = value << 8 | static_cast<unsigned char>(raw[i]);
  return value;
}

}  // namespace headlight
