// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where a reader takes its bytes from: a file read by ranges (never whole, so that a training
// checkpoint costs only the tensors taken from it), or memory. Internal.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/files/FileDescriptor.h"

namespace headlight {

class ByteSource {
 public:
  /// A regular file. Throws Failure: NotFound, Io, UnsupportedFile (a folder, a pipe).
  static std::unique_ptr<ByteSource> openFile(const std::filesystem::path& path);
  /// A file that is open. Throws Failure as above; `name` is for messages.
  static std::unique_ptr<ByteSource> ofFile(FileDescriptor file, const std::string& name);
  /// `bytes` must outlive the source.
  static std::unique_ptr<ByteSource> overMemory(std::string_view bytes, std::string name);

  virtual ~ByteSource() = default;
  std::uint64_t size() const { return m_size; }
  const std::string& name() const { return m_name; }

  /// Fills `target` with bytes [offset, offset + size). Throws Failure if they do not all exist.
  void read(std::uint64_t offset, void* target, std::uint64_t size) const;
  /// The same as a string; the range is checked before anything is allocated.
  std::string read(std::uint64_t offset, std::uint64_t size) const;

 protected:
  ByteSource(std::string name, std::uint64_t size) : m_name(std::move(name)), m_size(size) {}
  virtual void copy(std::uint64_t offset, void* target, std::uint64_t size) const = 0;

 private:
  void checkRange(std::uint64_t offset, std::uint64_t size) const;

  std::string m_name;
  std::uint64_t m_size;
};

/// Walks bytes of a structure that must hold all it promises; numbers are little-endian. Reading
/// past the end throws a Failure that names `what` ("the central directory").
class ByteCursor {
 public:
  ByteCursor(std::string_view bytes, std::string where, std::string what)
      : m_bytes(bytes), m_where(std::move(where)), m_what(std::move(what)) {}

  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }
  std::string_view bytes(std::uint64_t count);
  /// Up to the next '\n', which is consumed but not returned.
  std::string_view line();
  std::uint64_t position() const { return m_position; }
  std::uint64_t remaining() const { return m_bytes.size() - m_position; }

 private:
  std::uint64_t number(int count);

  std::string_view m_bytes;
  std::string m_where;
  std::string m_what;
  std::uint64_t m_position = 0;
};

}  // namespace headlight
