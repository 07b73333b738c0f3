#pragma once
// Whether a file is a video, from its first bytes. Nothing else is handed to OpenCV: FFmpeg behind
// it would also open playlists and lists of other files (HLS, concat), and what those name.

#include <string>
#include <string_view>

namespace headlight {

/// How many of the first bytes are looked at.
inline constexpr std::size_t kVideoHeadBytes = 512;

/// "AVI", "MP4 or QuickTime", "Matroska or WebM", "Ogg", "MPEG" or "animated GIF"; empty for
/// everything else.
std::string videoKindOf(std::string_view head);

}  // namespace headlight
