// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Whether a file is a video, from its first bytes. FFmpeg behind OpenCV would also open playlists
// and manifests, and the files and addresses that they name: only the containers listed here reach
// it, each with the one demuxer that reads it.

#include <string>
#include <string_view>

namespace headlight {

/// How many of the first bytes are examined.
inline constexpr std::size_t kVideoHeadBytes = 4096;

/// "AVI", "MP4 or QuickTime", "Matroska or WebM", "Ogg", "MPEG", "Flash Video", "Windows Media",
/// "YUV4MPEG" or "animated GIF"; empty for everything else, playlists among it.
std::string identifyVideo(std::string_view head);

/// FFmpeg's name for the demuxer of that container; empty where identifyVideo() is.
std::string findVideoDemuxer(std::string_view head);

/// "a DASH manifest", "an M3U or HLS playlist" …: text that names other files or addresses, also
/// where it begins like a container; empty for everything else.
std::string identifyPlaylist(std::string_view head);

}  // namespace headlight
