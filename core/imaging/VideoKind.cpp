#include "core/imaging/VideoKind.h"

namespace headlight {
namespace {

using namespace std::string_view_literals;

/// MPEG transport streams: a byte in every packet of 188.
bool beginsLikeTransportStream(std::string_view head) {
  constexpr std::size_t kPacket = 188;
  return head.size() > 2 * kPacket && head[0] == 'G' && head[kPacket] == 'G' &&
         head[2 * kPacket] == 'G';
}

/// Boxes of a length and four letters; files from before `ftyp` begin with another of them.
bool beginsLikeMp4(std::string_view head) {
  if (head.size() < 12) return false;
  for (const auto box : {"ftyp"sv, "moov"sv, "mdat"sv, "wide"sv})
    if (head.substr(4, 4) == box) return head[0] == '\0' || head.substr(0, 4) == "\0\0\0\1"sv;
  return false;
}

}  // namespace

std::string videoKindOf(std::string_view head) {
  if (head.starts_with("RIFF"sv) && head.size() >= 12 && head.substr(8, 4) == "AVI "sv)
    return "AVI";
  if (beginsLikeMp4(head)) return "MP4 or QuickTime";
  if (head.starts_with("\x1a\x45\xdf\xa3"sv)) return "Matroska or WebM";
  if (head.starts_with("OggS\0"sv)) return "Ogg";
  if (head.starts_with("\0\0\1\xba"sv) || beginsLikeTransportStream(head)) return "MPEG";
  if (head.starts_with("GIF87a"sv) || head.starts_with("GIF89a"sv)) return "animated GIF";
  return "";
}

}  // namespace headlight
