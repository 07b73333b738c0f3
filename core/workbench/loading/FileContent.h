// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a file is, from its first bytes rather than its name. Internal: Input.h answers programs.

#include <filesystem>
#include <string>
#include <string_view>

namespace headlight {

enum class FileContent {
  Unknown,  ///< also what cannot be read: opening it says why
  Json,     ///< text that begins with a brace or a bracket
  Checkpoint,
  Png,
  OtherImage,
  Video,     ///< identifyVideo(), animated GIF among them
  Playlist,  ///< identifyPlaylist(): refused, as it names other files and addresses
};

/// The first 4 KB of a regular file; empty for anything else, and for what cannot be read.
std::string headOfFile(const std::filesystem::path& path);
/// By headOfFile().
FileContent contentOfFile(const std::filesystem::path& path);
/// `head`: the first bytes, the more the surer.
FileContent identifyContent(std::string_view head);

}  // namespace headlight
