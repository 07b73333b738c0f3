// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The chunks of a PNG file, length by length. Private to imaging.

#include <optional>
#include <string>
#include <string_view>

namespace headlight {

inline constexpr std::string_view kPngSignature{"\x89PNG\r\n\x1a\n", 8};

struct PngChunk {
  std::string_view type;  ///< four letters
  std::string_view data;
  std::size_t end = 0;  ///< offset in the file just behind the chunk's checksum

  /// Whether the stored checksum (over type and data) is right.
  bool intact() const;
};

/// The chunk at `offset`; nothing if it does not fit into the file.
std::optional<PngChunk> pngChunkAt(std::string_view bytes, std::size_t offset);

/// Length, type, data and checksum, as they stand in a file. `data` is below 2^31 bytes.
void appendPngChunk(std::string& out, std::string_view type, std::string_view data);

}  // namespace headlight
