// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/Mutator.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace headlight::fuzz {
namespace {

constexpr std::uint64_t kTelling[] = {
    0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 1ULL << 62, 1ULL << 63, ~0ULL};
constexpr const char* kNumbers[] = {"0",
                                    "-1",
                                    "1e308",
                                    "-1e308",
                                    "1e999",
                                    "0.1",
                                    "1e-320",
                                    "2147483647",
                                    "2147483648",
                                    "-2147483649",
                                    "9007199254740993",
                                    "9223372036854775807",
                                    "9223372036854775808",
                                    "-9223372036854775808",
                                    "18446744073709551615",
                                    "99999999999999999999999999",
                                    "nan",
                                    "inf",
                                    "1000000000",
                                    "255"};
constexpr char kCharacters[] = "0123456789-.,:[]{}\"()tuaseRbQhqXKJMN\x81\x85\x86\x93";

bool isOfNumber(char character) {
  return std::isdigit(static_cast<unsigned char>(character)) != 0;
}

}  // namespace

std::string Mutator::mutate(std::string bytes, const std::string& other) {
  for (std::size_t left = 1 + below(4); left > 0; --left)
    mutateOnce(bytes, other);
  return bytes;
}

std::string Mutator::mutateText(std::string text, const std::string& other) {
  for (std::size_t left = 1 + below(4); left > 0; --left)
    if (below(2) == 0)
      replaceNumber(text);
    else
      mutateOnce(text, other);
  return text;
}

std::string Mutator::mutateJson(const std::string& text, const std::string& other) {
  Json root = parsed(text);
  if (root.is_discarded() || below(4) == 0) return mutateText(text, other);
  const Json& another = parsed(parsed(other).is_discarded() ? text : other);
  for (std::size_t left = 1 + below(3); left > 0; --left)
    mutateNode(root, another);
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const Mutator::Json& Mutator::parsed(const std::string& text) {
  const auto [found, isNew] = m_parsed.try_emplace(text);
  if (isNew) found->second = Json::parse(text, nullptr, false);
  return found->second;
}

/// Structure stands at the beginning and the end of most formats.
std::size_t Mutator::place(const std::string& bytes) {
  const std::size_t span = std::min<std::size_t>(bytes.size(), below(2) == 0 ? 200 : 6000);
  switch (below(3)) {
    case 0:
      return below(span);
    case 1:
      return bytes.size() - span + below(span);
    default:
      return below(bytes.size());
  }
}

void Mutator::overwrite(std::string& bytes, std::uint64_t value, std::size_t size) {
  const std::size_t at = place(bytes);
  const bool bigEndian = below(2) == 0;
  for (std::size_t i = 0; i < size && at + i < bytes.size(); ++i)
    bytes[at + i] = static_cast<char>(value >> (8 * (bigEndian ? size - 1 - i : i)));
}

void Mutator::mutateOnce(std::string& bytes, const std::string& other) {
  const std::size_t length = 1 + below(below(8) == 0 ? 2000 : 16);
  const std::size_t at = place(bytes);
  switch (below(8)) {
    case 0:
      if (!bytes.empty()) bytes[at] ^= static_cast<char>(1 << below(8));
      break;
    case 1:
      overwrite(bytes, m_random(), 1);
      break;
    case 2:
      overwrite(bytes, kTelling[below(std::size(kTelling))], 1ULL << below(4));
      break;
    case 3:
      bytes.erase(at, length);
      break;
    case 4:
      bytes.insert(at, bytes.substr(place(bytes), length));
      break;
    case 5:
      bytes.insert(at, other.substr(below(other.size()), length));
      break;
    case 6:
      if (below(4) == 0) bytes.resize(at);
      break;
    default:
      if (!bytes.empty()) bytes[at] = kCharacters[below(std::size(kCharacters) - 1)];
  }
}

void Mutator::replaceNumber(std::string& text) {
  const auto begin = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(below(text.size())),
                                  text.end(), isOfNumber);
  const auto end = std::find_if_not(begin, text.end(), isOfNumber);
  if (begin != end) text.replace(begin, end, kNumbers[below(std::size(kNumbers))]);
}

Mutator::Json& Mutator::anyNode(Json& root) {
  Json* node = &root;
  while (node->is_structured() && !node->empty() && below(6) != 0) {
    auto child = node->begin();
    std::advance(child, static_cast<std::ptrdiff_t>(below(node->size())));
    node = &*child;
  }
  return *node;
}

Mutator::Json Mutator::oddValue(const Json& former, const Json& other) {
  switch (below(10)) {
    case 0:
      return nullptr;
    case 1:
      return below(2) == 0;
    case 2:
      return "";
    case 3:
      return std::string(1 + below(below(4) == 0 ? 20000 : 40), static_cast<char>(1 + below(126)));
    case 4:
      return Json::array();
    case 5:
      return Json::object();
    case 6:
      return Json::array({former, former});
    case 7:
      return {{"x", former}};
    case 8: {
      Json copy = other;
      return anyNode(copy);
    }
    default:  // as a number where JSON knows it, else as text
      const std::string number = kNumbers[below(std::size(kNumbers))];
      const Json parsed = Json::parse(number, nullptr, false);
      return parsed.is_discarded() ? Json(number) : parsed;
  }
}

void Mutator::mutateNode(Json& root, const Json& other) {
  Json& node = anyNode(root);
  if (!node.is_structured() || node.empty()) {
    const std::string number = kNumbers[below(std::size(kNumbers))];
    const Json parsed = Json::parse(number, nullptr, false);
    // A number becomes another one more often than not: the type alone is soon checked.
    node = node.is_number() && !parsed.is_discarded() && below(2) == 0 ? parsed
                                                                       : oddValue(node, other);
    return;
  }
  auto child = node.begin();
  std::advance(child, static_cast<std::ptrdiff_t>(below(node.size())));
  if (below(3) == 0) {
    node.erase(child);
  } else if (node.is_array() && below(2) == 0) {
    const Json again = *child;
    for (std::size_t times = 1 + below(below(8) == 0 ? 5000 : 3); times > 0; --times)
      node.push_back(again);
  } else {
    *child = oddValue(*child, other);
  }
}

}  // namespace headlight::fuzz
