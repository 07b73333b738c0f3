// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Writing messages in the wire format of Protocol Buffers, field by field: what TensorBoard's
// events are made of.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

/// Every function adds a field by its number, 1 to 15, and returns the message.
class ProtoMessage {
 public:
  ProtoMessage& integer(int field, std::int64_t value);
  ProtoMessage& real(int field, double value);
  ProtoMessage& single(int field, float value);
  ProtoMessage& bytes(int field, std::string_view value);
  ProtoMessage& message(int field, const ProtoMessage& value) { return bytes(field, value.wire()); }
  /// Packed.
  ProtoMessage& reals(int field, const std::vector<double>& values);

  const std::string& wire() const { return m_wire; }

 private:
  void begin(int field, int type);

  std::string m_wire;
};

/// Appends the bytes of a number, the lowest first.
void appendLittleEndian(std::string& out, std::uint64_t value, int bytes);

}  // namespace headlight
