// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/FileContent.h"

#include <array>
#include <cstdint>
#include <fstream>
#include <string>

#include "core/imaging/codecs/OptionalFormats.h"
#include "core/imaging/codecs/Pnm.h"
#include "core/imaging/video/VideoKind.h"

namespace headlight {
namespace {

using namespace std::string_view_literals;

/// torch before 1.6 writes its magic number first, as a pickle.
constexpr std::string_view kLegacyPth = "\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20j\xa8P\x19."sv;
constexpr std::size_t kPeekedBytes = 4096;
constexpr std::uint64_t kMostHeaderBytes = 100'000'000;  // of a safetensors file

/// The header's length in eight bytes, the lowest first, and the header, which is an object.
bool beginsLikeSafetensors(std::string_view head) {
  if (head.size() < 9 || head[8] != '{') return false;
  std::uint64_t length = 0;
  for (int i = 7; i >= 0; --i)
    length = length << 8 | static_cast<unsigned char>(head[i]);
  return length <= kMostHeaderBytes;
}

bool beginsLikeJson(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf"sv)) head.remove_prefix(3);
  const auto first = head.find_first_not_of(" \t\r\n"sv);
  return first != head.npos && (head[first] == '{' || head[first] == '[') &&
         head.find('\0') == head.npos;
}

bool beginsLikeImage(std::string_view head) {
  static constexpr std::array kMagic{"\xff\xd8\xff"sv, "BM"sv,    "II*\0"sv,
                                     "MM\0*"sv,        "II+\0"sv, "MM\0+"sv};
  for (const auto magic : kMagic)
    if (head.starts_with(magic)) return true;
  if (beginsLikePnm(head) || beginsLikeHeif(head) || beginsLikeJxl(head)) return true;
  return head.size() >= 12 && head.starts_with("RIFF"sv) && head.substr(8, 4) == "WEBP"sv;
}

}  // namespace

FileContent identifyContent(std::string_view head) {
  // A length can be any bytes, so safetensors come first: the zeros in it are in no JSON.
  if (beginsLikeSafetensors(head) || head.starts_with("PK\x03\x04"sv) ||
      head.starts_with(kLegacyPth))
    return FileContent::Checkpoint;
  if (beginsLikeJson(head)) return FileContent::Json;
  if (head.starts_with("\x89PNG\r\n\x1a\n"sv)) return FileContent::Png;
  if (beginsLikeImage(head)) return FileContent::OtherImage;
  if (!identifyPlaylist(head).empty()) return FileContent::Playlist;
  return identifyVideo(head).empty() ? FileContent::Unknown : FileContent::Video;
}

std::string headOfFile(const std::filesystem::path& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return {};
  std::string head(kPeekedBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head;
}

FileContent contentOfFile(const std::filesystem::path& path) {
  const std::string head = headOfFile(path);
  return head.empty() ? FileContent::Unknown : identifyContent(head);
}

}  // namespace headlight
