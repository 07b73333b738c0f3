// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/video/VideoKind.h"

#include <algorithm>
#include <array>

#include "core/imaging/codecs/OptionalFormats.h"

namespace headlight {
namespace {

using namespace std::string_view_literals;

/// MPEG transport streams: a sync byte at the start of every packet of 188, three at least.
bool beginsLikeTransportStream(std::string_view head) {
  constexpr std::size_t kPacket = 188;
  if (head.size() <= 2 * kPacket) return false;
  for (std::size_t at = 0; at < head.size(); at += kPacket)
    if (head[at] != 'G') return false;
  return true;
}

bool beginsLikeProgramStream(std::string_view head) {
  return head.starts_with("\0\0\1\xba"sv);
}

/// Boxes of a length and four letters; files from before `ftyp` begin with another of them.
bool beginsLikeMp4(std::string_view head) {
  if (head.size() < 12 || beginsLikeHeif(head)) return false;  // a still image in the container
  for (const auto box : {"ftyp"sv, "moov"sv, "mdat"sv, "wide"sv})
    if (head.substr(4, 4) == box) return head[0] == '\0' || head.substr(0, 4) == "\0\0\0\1"sv;
  return false;
}

bool beginsLikeAvi(std::string_view head) {
  return head.starts_with("RIFF"sv) && head.size() >= 12 && head.substr(8, 4) == "AVI "sv;
}

bool beginsLikeGif(std::string_view head) {
  return head.starts_with("GIF87a"sv) || head.starts_with("GIF89a"sv);
}

struct Container {
  const char* kind;
  const char* demuxer;
  bool (*begins)(std::string_view head);
};

constexpr std::array kContainers{
    Container{"AVI", "avi", beginsLikeAvi},
    Container{"MP4 or QuickTime", "mov", beginsLikeMp4},
    Container{"Matroska or WebM", "matroska",
              [](std::string_view head) { return head.starts_with("\x1a\x45\xdf\xa3"sv); }},
    Container{"Ogg", "ogg", [](std::string_view head) { return head.starts_with("OggS\0"sv); }},
    Container{"MPEG", "mpeg", beginsLikeProgramStream},
    Container{"MPEG", "mpegts", beginsLikeTransportStream},
    Container{"Flash Video", "flv",
              [](std::string_view head) { return head.starts_with("FLV\1"sv); }},
    Container{"Windows Media", "asf",
              [](std::string_view head) {
                return head.starts_with("\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\0\xaa"sv);
              }},
    Container{"YUV4MPEG", "yuv4mpegpipe",
              [](std::string_view head) { return head.starts_with("YUV4MPEG2 "sv); }},
    Container{"animated GIF", "gif", beginsLikeGif}};

struct Playlist {
  std::string_view mark;  ///< in lower case
  const char* kind;
};

constexpr std::array kBeginnings{
    Playlist{"#extm3u"sv, "an M3U or HLS playlist"}, Playlist{"ffconcat"sv, "a concat list"},
    Playlist{"[playlist]"sv, "a PLS playlist"},      Playlist{"[reference]"sv, "an ASX playlist"},
    Playlist{"v=0\n"sv, "an SDP description"},       Playlist{"v=0\r"sv, "an SDP description"},
    Playlist{"rtsptext"sv, "a list of addresses"},   Playlist{"http://"sv, "a list of addresses"},
    Playlist{"https://"sv, "a list of addresses"},   Playlist{"rtsp://"sv, "a list of addresses"},
    Playlist{"mms://"sv, "a list of addresses"}};

/// FFmpeg finds the first of these anywhere, whatever stands before it.
constexpr std::array kElements{Playlist{"<mpd"sv, "a DASH manifest"},
                               Playlist{"<smil"sv, "a SMIL presentation"},
                               Playlist{"<asx"sv, "an ASX playlist"},
                               Playlist{"<smoothstreamingmedia"sv, "a Smooth Streaming manifest"},
                               Playlist{"<compositionplaylist"sv, "an IMF playlist"},
                               Playlist{"<playlist"sv, "an XSPF playlist"}};

/// Up to the first zero byte, as FFmpeg looks at text; in lower case, without what may precede it.
std::string lowerText(std::string_view head) {
  head = head.substr(0, std::min(head.find('\0'), kVideoHeadBytes));
  if (head.starts_with("\xef\xbb\xbf"sv)) head.remove_prefix(3);
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"sv), head.size()));
  std::string text(head);
  for (char& letter : text)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return text;
}

const Container* containerOf(std::string_view head) {
  if (!identifyPlaylist(head).empty()) return nullptr;
  const auto found = std::find_if(kContainers.begin(), kContainers.end(),
                                  [&](const Container& one) { return one.begins(head); });
  return found == kContainers.end() ? nullptr : &*found;
}

}  // namespace

std::string identifyVideo(std::string_view head) {
  const Container* container = containerOf(head);
  return container ? container->kind : "";
}

std::string findVideoDemuxer(std::string_view head) {
  const Container* container = containerOf(head);
  return container ? container->demuxer : "";
}

std::string identifyPlaylist(std::string_view head) {
  const std::string text = lowerText(head);
  for (const Playlist& playlist : kBeginnings)
    if (text.starts_with(playlist.mark)) return playlist.kind;
  for (const Playlist& playlist : kElements)
    if (text.find(playlist.mark) != text.npos) return playlist.kind;
  return "";
}

}  // namespace headlight
