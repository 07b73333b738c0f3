#include "core/checkpoint/Fingerprint.h"

#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <vector>

namespace headlight {

Result<std::string> fileFingerprint(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{ErrorCode::NotFound, "could not be opened", path.string()};
  std::vector<char> piece(1u << 20);
  std::uint64_t size = 0;
  uLong crc = crc32(0, nullptr, 0);
  while (file) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    const auto count = static_cast<uInt>(file.gcount());
    crc = crc32(crc, reinterpret_cast<const Bytef*>(piece.data()), count);
    size += count;
  }
  if (!file.eof()) return Error{ErrorCode::Io, "could not be read", path.string()};
  char text[64];
  std::snprintf(text, sizeof text, "%llu bytes, %08lx", static_cast<unsigned long long>(size),
                static_cast<unsigned long>(crc));
  return std::string(text);
}

}  // namespace headlight
