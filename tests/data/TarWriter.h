// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tar archives for tests, made by hand so that they can be wrong in any way.

#include <cstdint>
#include <cstdio>
#include <string>

namespace headlight::test {

inline std::string octalField(std::uint64_t value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%0*llo", digits, static_cast<unsigned long long>(value));
  return std::string(text) + '\0';
}

/// With the checksum that fits it.
inline std::string summed(std::string header) {
  header.replace(148, 8, 8, ' ');
  std::uint64_t sum = 0;
  for (const char byte : header)
    sum += static_cast<unsigned char>(byte);
  return header.replace(148, 8, octalField(sum, 6) + ' ');
}

inline std::string tarHeader(const std::string& name, std::uint64_t size, char type = '0') {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  header.replace(100, 8, octalField(0644, 7));
  header.replace(124, 12, octalField(size, 11));
  header[156] = type;
  header.replace(257, 8,
                 std::string("ustar\0"
                             "00",
                             8));
  return summed(header);
}

inline std::string padded(const std::string& bytes) {
  return bytes + std::string((512 - bytes.size() % 512) % 512, '\0');
}

inline std::string tarFile(const std::string& name, const std::string& bytes, char type = '0') {
  return tarHeader(name, bytes.size(), type) + padded(bytes);
}

inline std::string tarEnd() {
  return std::string(1024, '\0');
}

}  // namespace headlight::test
