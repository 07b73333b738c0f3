// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a file is, from its first bytes rather than its name.

#include <filesystem>
#include <string>
#include <string_view>

namespace headlight {

enum class FileContent {
  Unknown,  ///< also what cannot be read: opening it says why
  Json,     ///< text that begins with a brace or a bracket
  Checkpoint,
  Png,
  OtherPicture,
  Video,     ///< videoKindOf(), animated GIF among them
  Playlist,  ///< playlistKindOf(): refused, as it names other files and addresses
};

/// Looks at the first 4 KB of a regular file, and at nothing of anything else.
FileContent contentOfFile(const std::filesystem::path& path);
/// `head`: the first bytes, the more the surer.
FileContent contentOf(std::string_view head);
/// "a DASH manifest" …; empty for what is no playlist.
std::string playlistKindOfFile(const std::filesystem::path& path);

/// Whether a model is described there by JSON; where the content says nothing, the name decides.
bool looksLikeConfig(const std::filesystem::path& path);

}  // namespace headlight
