// SPDX-License-Identifier: GPL-3.0-or-later

// Image.h: PNG as a carrier of text: images that Headlight saves hold the session that made
// them.

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <array>
#include <fstream>

#include "core/base/Translation.h"
#include "core/imaging/codecs/Bytes.h"
#include "core/imaging/codecs/Image.h"
#include "core/imaging/codecs/PngChunks.h"

namespace headlight {
namespace {

using namespace std::string_literals;
using TextEntry = std::pair<std::string, std::string>;

constexpr std::size_t kMaxKeyword = 79;  // the PNG specification's
constexpr std::size_t kMaxTextBytes = 64u << 20;
constexpr std::size_t kChecksumBytes = 4;
constexpr int kMaxChunks = 100'000;  // of a file that are looked at

bool isPrintableAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char letter) {
    return (letter >= 0x20 && letter < 0x7f) || letter == '\n';
  });
}

void appendText(std::string& out, const TextEntry& entry) {
  const auto& [keyword, value] = entry;
  if (keyword.empty() || keyword.size() > kMaxKeyword || !isPrintableAscii(keyword))
    refuse(ErrorCode::InvalidArgument,
           tr("a PNG text keyword has 1 to 79 printable ASCII letters; got \"") + keyword + "\"");
  if (value.size() > kMaxTextBytes || value.find('\0') != std::string::npos)
    refuse(ErrorCode::InvalidArgument,
           tr("the PNG text \"") + keyword + tr("\" is above 64 MB or holds a zero byte"));
  if (isPrintableAscii(value)) {
    appendPngChunk(out, "tEXt", keyword + "\0"s + value);
  } else {  // UTF-8, not compressed, no language, no translated keyword
    appendPngChunk(out, "iTXt", keyword + "\0\0\0\0\0"s + value);
  }
}

std::string utf8FromLatin1(std::string_view latin1) {
  std::string utf8;
  for (const char letter : latin1) {
    const auto code = static_cast<std::uint8_t>(letter);
    if (code < 0x80) {
      utf8.push_back(letter);
    } else {
      utf8.push_back(static_cast<char>(0xc0 | code >> 6));
      utf8.push_back(static_cast<char>(0x80 | (code & 0x3f)));
    }
  }
  return utf8;
}

/// Takes what stands before the next zero byte off the front; false if there is no zero byte.
bool takeString(std::string_view& rest, std::string_view& taken) {
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) return false;
  taken = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return true;
}

/// False for other chunks, for compressed text (we never write it) and for malformed ones.
bool readText(const PngChunk& chunk, TextEntry& entry) {
  std::string_view rest = chunk.data;
  std::string_view keyword;
  if ((chunk.type != "tEXt" && chunk.type != "iTXt") || !takeString(rest, keyword)) return false;
  if (keyword.empty() || keyword.size() > kMaxKeyword) return false;
  entry.first = utf8FromLatin1(keyword);
  if (chunk.type == "tEXt") {
    entry.second = utf8FromLatin1(rest);
    return true;
  }
  std::string_view language;
  std::string_view translated;
  if (rest.size() < 2 || rest[0] != 0) return false;
  rest.remove_prefix(2);
  if (!takeString(rest, language) || !takeString(rest, translated)) return false;
  entry.second = rest;
  return true;
}

std::string encodePixels(const Image& image) {
  const cv::Mat rgb(image.height, image.width, CV_8UC3,
                    const_cast<std::uint8_t*>(image.pixels->data()));  // only read
  cv::Mat bgr;
  cv::cvtColor(rgb, bgr, cv::COLOR_RGB2BGR);
  std::vector<std::uint8_t> encoded;
  const std::vector<int> settings{cv::IMWRITE_PNG_COMPRESSION, 6, cv::IMWRITE_PNG_STRATEGY,
                                  cv::IMWRITE_PNG_STRATEGY_DEFAULT};
  if (!cv::imencode(".png", bgr, encoded, settings))
    refuse(ErrorCode::Internal, tr("the image could not be encoded as PNG"));
  return {encoded.begin(), encoded.end()};
}

/// A PNG of the text chunks of `file` alone. Others are jumped over.
std::string onlyTextOf(std::istream& file) {
  std::string kept(kPngSignature.size(), '\0');
  if (!file.read(kept.data(), static_cast<std::streamsize>(kept.size()))) return {};
  std::array<char, 8> begin{};
  for (int n = 0; n < kMaxChunks && file.read(begin.data(), begin.size()); ++n) {
    std::size_t length = kChecksumBytes;
    for (int i = 0, shift = 24; i < 4; ++i, shift -= 8)
      length += std::size_t{static_cast<unsigned char>(begin[i])} << shift;
    const std::string_view type(begin.data() + 4, 4);
    if (type == "IEND") break;
    if ((type == "tEXt" || type == "iTXt") &&
        length <= kMaxTextBytes - std::min(kept.size(), kMaxTextBytes)) {
      std::string rest(length, '\0');
      if (!file.read(rest.data(), static_cast<std::streamsize>(length))) break;
      kept.append(begin.data(), begin.size()).append(rest);
    } else if (!file.seekg(static_cast<std::streamoff>(length), std::ios::cur)) {
      break;
    }
  }
  return kept;
}

}  // namespace

Result<std::string> encodePng(const Image& image, const std::vector<TextEntry>& text) {
  return guarded("PNG", [&] {
    if (image.empty() || !image.pixels)
      refuse(ErrorCode::InvalidArgument, tr("an empty image cannot be saved"));
    std::string plain = encodePixels(image);
    if (text.empty()) return plain;
    const auto header = pngChunkAt(plain, kPngSignature.size());
    if (!header) refuse(ErrorCode::Internal, tr("the PNG encoder wrote no header"));
    std::string out = plain.substr(0, header->end);
    for (const TextEntry& entry : text)
      appendText(out, entry);
    return out.append(plain, header->end);
  });
}

std::vector<TextEntry> readPngText(std::string_view bytes) {
  std::vector<TextEntry> entries;
  if (!bytes.starts_with(kPngSignature)) return entries;
  std::size_t total = 0;
  std::size_t at = kPngSignature.size();
  while (const auto chunk = pngChunkAt(bytes, at)) {
    if (chunk->type == "IEND") break;
    at = chunk->end;
    TextEntry entry;
    if (chunk->data.size() > kMaxTextBytes - total) continue;
    if (!readText(*chunk, entry) || !chunk->intact()) continue;
    total += chunk->data.size();
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<TextEntry> readPngTextOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return readPngText(onlyTextOf(file));
}

}  // namespace headlight
