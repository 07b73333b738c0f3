// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/tensorboard/Protobuf.h"

#include <bit>

namespace headlight {
namespace {

// Wire types.
constexpr int kVarint = 0, kEightBytes = 1, kLengthAndBytes = 2, kFourBytes = 5;

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
void appendVarint(std::string& out, std::uint64_t value) {
  for (; value > 0x7f; value >>= 7)
    out += static_cast<char>((value & 0x7f) | 0x80);
  out += static_cast<char>(value);
}

}  // namespace

void appendLittleEndian(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    out += static_cast<char>((value >> (8 * i)) & 0xff);
}

void ProtoMessage::begin(int field, int type) {
  m_wire += static_cast<char>(field << 3 | type);
}

ProtoMessage& ProtoMessage::integer(int field, std::int64_t value) {
  begin(field, kVarint);
  appendVarint(m_wire, static_cast<std::uint64_t>(value));
  return *this;
}

ProtoMessage& ProtoMessage::real(int field, double value) {
  begin(field, kEightBytes);
  appendLittleEndian(m_wire, std::bit_cast<std::uint64_t>(value), 8);
  return *this;
}

ProtoMessage& ProtoMessage::single(int field, float value) {
  begin(field, kFourBytes);
  appendLittleEndian(m_wire, std::bit_cast<std::uint32_t>(value), 4);
  return *this;
}

ProtoMessage& ProtoMessage::bytes(int field, std::string_view value) {
  begin(field, kLengthAndBytes);
  appendVarint(m_wire, value.size());
  m_wire += value;
  return *this;
}

ProtoMessage& ProtoMessage::reals(int field, const std::vector<double>& values) {
  std::string packed;
  for (const double value : values)
    appendLittleEndian(packed, std::bit_cast<std::uint64_t>(value), 8);
  return bytes(field, packed);
}

}  // namespace headlight
