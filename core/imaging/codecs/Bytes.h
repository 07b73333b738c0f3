// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Numbers out of a buffer that may lie: every read is checked against the buffer's end.

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {

/// A Failure without a place; the public door adds the file's name.
[[noreturn]] inline void refuse(ErrorCode code, const std::string& message) {
  throw Failure(Error{code, message, ""});
}

enum class ByteOrder { Little, Big };

class Bytes {
 public:
  Bytes(std::string_view bytes, ByteOrder order) : m_bytes(bytes), m_order(order) {}

  std::size_t size() const { return m_bytes.size(); }
  bool has(std::uint64_t offset, std::uint64_t count) const {
    return offset <= m_bytes.size() && count <= m_bytes.size() - offset;
  }
  /// `count` bytes at `offset`, or a Failure (InvalidFile) if the buffer ends before.
  std::string_view slice(std::uint64_t offset, std::uint64_t count) const {
    if (!has(offset, count))
      refuse(ErrorCode::InvalidFile, tr("is truncated: it ends at byte ") +
                                         std::to_string(m_bytes.size()) +
                                         tr(", inside its header; fetch or save the image again"));
    return m_bytes.substr(offset, count);
  }
  std::uint32_t u8(std::uint64_t offset) const { return number(offset, 1); }
  std::uint32_t u16(std::uint64_t offset) const { return number(offset, 2); }
  std::uint32_t u24(std::uint64_t offset) const { return number(offset, 3); }
  std::uint32_t u32(std::uint64_t offset) const { return number(offset, 4); }

 private:
  std::uint32_t number(std::uint64_t offset, int count) const {
    const std::string_view digits = slice(offset, static_cast<std::uint64_t>(count));
    std::uint32_t value = 0;
    for (int i = 0; i < count; ++i) {
      const int at = m_order == ByteOrder::Big ? i : count - 1 - i;
      value = value << 8 | static_cast<std::uint8_t>(digits[static_cast<std::size_t>(at)]);
    }
    return value;
  }

  std::string_view m_bytes;
  ByteOrder m_order;
};

}  // namespace headlight
