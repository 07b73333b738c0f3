// SPDX-License-Identifier: GPL-3.0-or-later

// Target.h: videos: small films of each container that Headlight writes itself.

#include "core/base/files/Files.h"
#include "core/imaging/video/VideoKind.h"
#include "core/workbench/session/Video.h"
#include "tests/fuzz/Bounds.h"
#include "tests/fuzz/readers/Target.h"

namespace headlight::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr int kFrames = 4, kSide = 16;

std::string filmBytes(const fs::path& path) {
  const auto film = valueOrThrow(FilmFile::create(path, 0.1));
  for (int frame = 0; frame < kFrames; ++frame)
    valueOrThrow(film->add(
        {kSide, kSide,
         std::make_shared<const std::vector<std::uint8_t>>(3 * kSide * kSide, 50 * frame)}));
  valueOrThrow(film->finish());
  return valueOrThrow(readFile(path, 1 << 20));
}

/// In order, and a jump back.
Result<void> readVideo(const fs::path& path) {
  const auto opened = VideoReader::open(path);
  if (!opened) return opened.error();
  VideoReader& video = **opened;
  const VideoInfo& info = video.info();
  require(info.width > 0 && info.height > 0 && info.rate > 0, "a video without a size or rate");
  for (int i = 0; i < 2 * kFrames; ++i) {
    const auto frame = video.next();
    if (!frame) return frame.error();
    if (!*frame) break;
    require((*frame)->index == i && !(*frame)->image.empty(), "another frame");
  }
  const auto second = video.at(1);
  return second ? Result<void>() : Result<void>(second.error());
}

/// A container, or a playlist, and never both; then what reads it.
Result<void> nameVideo(const std::string& bytes, const fs::path& path) {
  const std::string head = bytes.substr(0, kVideoHeadBytes);
  const std::string kind = identifyVideo(head), playlist = identifyPlaylist(head);
  require(kind.empty() || playlist.empty(), "a container that is a playlist");
  require(kind.empty() == findVideoDemuxer(head).empty(), "a container without a demuxer");
  writeBytes(path, bytes);
  const auto read = readVideo(path);
  if (kind.empty())
    require(!read && read.error().code == ErrorCode::UnsupportedFile, "opened without a kind");
  if (!playlist.empty())
    require(read.error().text().find(playlist) != std::string::npos, "a playlist without a name");
  return kind.empty() && playlist.empty() ? read : Result<void>();
}

/// Each names a file beside it, which may not be opened.
Target kindTarget(const fs::path& folder) {
  const std::string packets = "G" + std::string(187, ' ') + "G" + std::string(187, ' ') + "G";
  return {"video, kinds",
          Kind::Bytes,
          {filmBytes(folder / "named.avi"), "#EXTM3U\n#EXTINF:1,\nnamed.avi\n",
           "ffconcat version 1.0\nfile 'named.avi'\n", "[playlist]\nFile1=named.avi\n",
           "<asx><entry><ref href='named.avi'/></entry></asx>",
           packets + "<?xml version='1.0'?><MPD profiles='urn:mpeg:dash:profile:isoff-live:2011'>",
           "v=0\r\nc=IN IP4 127.0.0.1\r\nm=video 9 RTP/AVP 96\r\n"},
          [path = folder / "list.ts"](const std::string& bytes) { return nameVideo(bytes, path); }};
}

}  // namespace

std::vector<Target> videoTargets(const fs::path& folder) {
  std::vector<Target> targets{kindTarget(folder)};
  for (const std::string ending : {"avi", "mp4", "gif"}) {
    const fs::path path = folder / ("film." + ending);
    const std::string whole = filmBytes(path);
    targets.push_back({"video, " + ending, Kind::Bytes, {whole}, [path](const std::string& bytes) {
                         writeBytes(path, bytes);
                         return readVideo(path);
                       }});
  }
  return targets;
}

}  // namespace headlight::fuzz
