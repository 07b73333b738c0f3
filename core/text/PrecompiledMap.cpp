// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/PrecompiledMap.h"

#include "core/base/Translation.h"
#include "core/base/Utf8.h"
#include "core/text/Characters.h"
#include "core/text/UnicodeTables.h"

namespace headlight {
namespace {

constexpr std::size_t kMostText = 4u << 20;
constexpr std::size_t kLongestCluster = 5;  // in bytes: longer ones are taken apart

int digitOf(char letter) {
  if (letter >= 'A' && letter <= 'Z') return letter - 'A';
  if (letter >= 'a' && letter <= 'z') return letter - 'a' + 26;
  if (letter >= '0' && letter <= '9') return letter - '0' + 52;
  return letter == '+' ? 62 : letter == '/' ? 63 : -1;
}

/// Nothing where it is no base64.
std::optional<std::string> fromBase64(std::string_view text) {
  while (text.ends_with('='))
    text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char letter : text) {
    const int digit = digitOf(letter);
    if (digit < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if ((count += 6) < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
  }
  return bytes;
}

std::uint32_t wordAt(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i]));
  };
  return byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
}

// The parts of a unit of the trie.
bool hasLeaf(std::uint32_t unit) {
  return (unit >> 8 & 1) != 0;
}
std::uint32_t leafValue(std::uint32_t unit) {
  return unit & 0x7FFFFFFF;
}
std::uint32_t labelOf(std::uint32_t unit) {
  return unit & 0x800000FF;
}
std::uint32_t offsetOf(std::uint32_t unit) {
  return (unit >> 10) << ((unit & 1u << 9) >> 6);
}

/// What belongs to the character before it (Unicode's grapheme clusters): accents, joiners, the
/// half-width sound marks of Japanese, skin tones.
bool extendsCluster(char32_t character) {
  return isMark(character) || character == 0x200C || character == 0x200D || character == 0xFF9E ||
         character == 0xFF9F || (character >= 0x1F3FB && character <= 0x1F3FF);
}

/// Of a character and the marks behind it.
std::size_t clusterLength(const std::vector<std::string_view>& characters, std::size_t from) {
  std::size_t count = 1;
  for (; from + count < characters.size(); ++count) {
    if (!extendsCluster(codePoints(characters[from + count]).front())) break;
  }
  return count;
}

}  // namespace

PrecompiledMap::PrecompiledMap(const std::string& base64, const std::string& where) {
  const auto bytes = base64.size() <= kMostText ? fromBase64(base64) : std::nullopt;
  const std::size_t size = bytes && bytes->size() >= 4 ? wordAt(*bytes, 0) : 0;
  if (size < 4 || size % 4 != 0 || size > bytes->size() - 4)
    failTokenizer(tr("precompiled_charsmap is damaged"), where);
  for (std::size_t at = 4; at < 4 + size; at += 4)
    m_units.push_back(wordAt(*bytes, at));
  m_texts = bytes->substr(4 + size);
}

/// What the shortest beginning of `text` that the trie has is replaced by.
std::optional<std::string_view> PrecompiledMap::find(std::string_view text) const {
  std::size_t node = offsetOf(m_units[0]);
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    node ^= byte;
    if (byte == 0 || node >= m_units.size() || labelOf(m_units[node]) != byte) return std::nullopt;
    const std::uint32_t unit = m_units[node];
    node ^= offsetOf(unit);
    if (node >= m_units.size()) return std::nullopt;
    if (!hasLeaf(unit)) continue;
    const std::size_t start = leafValue(m_units[node]);
    if (start >= m_texts.size()) return std::nullopt;
    return std::string_view(m_texts).substr(start, m_texts.find('\0', start) - start);
  }
  return std::nullopt;
}

void PrecompiledMap::append(std::string& result, std::string_view cluster) const {
  const auto whole = cluster.size() <= kLongestCluster ? find(cluster) : std::nullopt;
  if (whole) {
    result += *whole;
    return;
  }
  for (const std::string_view character : splitCharacters(cluster))
    result += find(character).value_or(character);
}

std::string PrecompiledMap::normalized(const std::string& text) const {
  const auto characters = splitCharacters(text);
  std::string result;
  for (std::size_t i = 0; i < characters.size();) {
    const std::size_t count = clusterLength(characters, i);
    const char* start = characters[i].data();
    const std::string_view last = characters[i + count - 1];
    append(result, {start, static_cast<std::size_t>(last.data() + last.size() - start)});
    i += count;
  }
  return result;
}

}  // namespace headlight
