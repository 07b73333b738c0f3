// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/FreezeText.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "core/base/Text.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

using FreezeWords = std::vector<std::string>;

Error unknownPart(const std::string& part) {
  return {ErrorCode::InvalidConfig,
          "\"" + part +
              tr("\" is no part of a model; write \"all but the head\", \"first 8 blocks\", \"all "
                 "but norms and biases\", embeddings, last N blocks, or names with *, such as "
                 "blocks.*.attn"),
          ""};
}

/// Parts of words, which commas and "and" separate.
std::vector<FreezeWords> freezeParts(const std::string& text) {
  std::string spaced;
  for (const char letter : text)
    spaced += letter == ',' ? std::string(" , ") : std::string(1, letter);
  std::istringstream stream(spaced);
  std::vector<FreezeWords> parts(1);
  for (std::string word; stream >> word;) {
    if (word == "," || lowered(word) == "and")
      parts.emplace_back();
    else if (lowered(word) != "the")
      parts.back().push_back(word);
  }
  return parts;
}

std::string freezeSpelled(const FreezeWords& words) {
  std::string text;
  for (const std::string& word : words)
    addTo(text, word, " ");
  return text;
}

int blockCount(const std::string& word) {
  int count = 0;
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), count);
  return code == std::errc() && end == word.data() + word.size() ? count : 0;
}

Result<FreezePart> freezePart(const FreezeWords& words) {
  using Kind = FreezePart::Kind;
  const std::string text = lowered(freezeSpelled(words));
  if (text == "head") return FreezePart{Kind::Head, 0, {}};
  if (text == "norms") return FreezePart{Kind::Norms, 0, {}};
  if (text == "biases") return FreezePart{Kind::Biases, 0, {}};
  if (text == "embeddings") return FreezePart{Kind::Embeddings, 0, {}};
  if (words.size() == 3 && (text.ends_with(" blocks") || text.ends_with(" block"))) {
    const int count = blockCount(words[1]);
    const bool first = text.starts_with("first "), last = text.starts_with("last ");
    if (count > 0 && (first || last))
      return FreezePart{first ? Kind::FirstBlocks : Kind::LastBlocks, count, {}};
  }
  const bool pattern = words.size() == 1 && words[0].find_first_of(".*_") != std::string::npos;
  if (!pattern) return unknownPart(freezeSpelled(words));
  return FreezePart{Kind::Names, 0, words[0]};
}

}  // namespace

Result<FreezeRule> freezeFromText(const std::string& text) {
  FreezeRule rule;
  auto parts = freezeParts(text);
  if (parts.size() == 1 && (parts[0].empty() || lowered(freezeSpelled(parts[0])) == "nothing"))
    return rule;
  FreezeWords& first = parts.front();
  if (first.size() >= 2 && lowered(first[0]) == "all" && lowered(first[1]) == "but") {
    rule.allBut = true;
    first.erase(first.begin(), first.begin() + 2);
  }
  for (const FreezeWords& words : parts) {
    auto part = freezePart(words);
    if (!part) return part.error();
    rule.parts.push_back(std::move(part).value());
  }
  return rule;
}

bool matchesName(const std::string& pattern, const std::string& name) {
  if (pattern.empty()) return name.empty() || name[0] == '.';
  if (pattern[0] != '*')
    return !name.empty() && name[0] == pattern[0] && matchesName(pattern.substr(1), name.substr(1));
  for (std::size_t skipped = 0; skipped <= name.size(); ++skipped)
    if (matchesName(pattern.substr(1), name.substr(skipped))) return true;
  return false;
}

Result<std::vector<std::string>> adapterLayersFromText(const std::string& text) {
  std::vector<std::string> layers;
  for (const FreezeWords& words : freezeParts(text)) {
    const std::string layer = freezeSpelled(words);
    const bool known =
        std::find(kAdapterLayers.begin(), kAdapterLayers.end(), layer) != kAdapterLayers.end();
    if (!known || std::find(layers.begin(), layers.end(), layer) != layers.end())
      return Error{ErrorCode::InvalidConfig,
                   tr("must list some of ") + joined(kAdapterLayers) + tr(", each once, not \"") +
                       text + "\"",
                   ""};
    layers.push_back(layer);
  }
  return layers;
}

}  // namespace headlight
