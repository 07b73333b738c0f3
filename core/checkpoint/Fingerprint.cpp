// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/Fingerprint.h"

#include <cstdint>
#include <fstream>
#include <vector>

#include "core/base/Crc32.h"
#include "core/base/Translation.h"

namespace headlight {

Result<std::string> fileFingerprint(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{ErrorCode::NotFound, tr("could not be opened"), path.string()};
  std::vector<char> piece(1u << 20);
  std::uint64_t size = 0;
  std::uint32_t crc = 0;
  while (file) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    const auto count = static_cast<std::size_t>(file.gcount());
    crc = crc32Of(piece.data(), count, crc);
    size += count;
  }
  if (!file.eof()) return Error{ErrorCode::Io, tr("could not be read"), path.string()};
  return std::to_string(size) + " bytes, " + crcText(crc);
}

}  // namespace headlight
