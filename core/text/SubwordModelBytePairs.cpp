// SPDX-License-Identifier: GPL-3.0-or-later

// SubwordModel.h: byte pair encoding (Sennrich et al. 2016): of a word's characters, the pair that
// was merged first in training is merged first.

#include <algorithm>
#include <unordered_map>

#include "core/base/Translation.h"
#include "core/text/Characters.h"
#include "core/text/SubwordModel.h"

namespace headlight {
namespace {

constexpr std::int64_t kNoRank = INT64_MAX;

struct Merge {
  std::int64_t rank = kNoRank, result = 0;
};

std::uint64_t pairKey(std::int64_t left, std::int64_t right) {
  return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint64_t>(right);
}

class BytePairs : public SubwordModel {
 public:
  BytePairs(const Json& json, const std::string& where) : m_where(where) {
    refuseOptions(json);
    m_ending = tokenizerText(json, "end_of_word_suffix", where);
    readVocabulary(tokenizerValue(json, "vocab"));
    readMerges(tokenizerValue(json, "merges"));
    const std::string unknown = tokenizerText(json, "unk_token", where);
    if (!unknown.empty()) m_unknown = required(unknown, "unk_token");
  }

  void encode(const std::string& word, std::vector<std::int64_t>& ids) const override {
    std::vector<std::int64_t> tokens = charactersOf(word);
    std::vector<Merge> merges;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
      merges.push_back(mergeOf(tokens[i], tokens[i + 1]));
    while (mergeFirst(tokens, merges)) {
    }
    ids.insert(ids.end(), tokens.begin(), tokens.end());
  }

  std::optional<std::int64_t> find(const std::string& token) const override {
    const auto found = m_tokens.find(token);
    return found == m_tokens.end() ? std::nullopt : std::optional(found->second);
  }

  const char* kind() const override { return "BPE"; }

 private:
  void refuseOptions(const Json& json) const {
    if (!tokenizerText(json, "continuing_subword_prefix", m_where).empty())
      refuseTokenizer("continuing_subword_prefix", m_where);
    for (const char* option : {"byte_fallback", "fuse_unk", "ignore_merges"})
      if (tokenizerFlag(json, option, false, m_where)) refuseTokenizer(option, m_where);
  }

  void readVocabulary(const Json& json) {
    if (!json.is_object() || json.empty() || json.size() > kMostTokens)
      failTokenizer(tr("the vocabulary must have from 1 to 1000000 tokens"), m_where);
    m_tokens.reserve(json.size());
    for (const auto& [token, number] : json.items())
      m_tokens.emplace(token, tokenNumber(number, m_where));
  }

  void readMerges(const Json& json) {
    if (!json.is_array() || json.size() > kMostTokens)
      failTokenizer(tr("merges must be a list of at most 1000000"), m_where);
    m_merges.reserve(json.size());
    std::int64_t rank = 0;
    for (const Json& merge : json) {
      const auto [left, right] = pairIn(merge);
      m_merges[pairKey(required(left, "merges"), required(right, "merges"))] = {
          rank++, required(left + right, "merges")};
    }
  }

  /// "t h", or ["t", "h"].
  std::pair<std::string, std::string> pairIn(const Json& merge) const {
    const bool pair =
        merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string();
    if (pair) return {merge[0].get<std::string>(), merge[1].get<std::string>()};
    const std::string text = merge.is_string() ? merge.get<std::string>() : "";
    const auto space = text.find(' ');
    if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos)
      failTokenizer(tr("a merge must be two tokens"), m_where);
    return {text.substr(0, space), text.substr(space + 1)};
  }

  std::int64_t required(const std::string& token, const char* of) const {
    const auto found = find(token);
    if (!found)
      failTokenizer(
          std::string(of) + tr(" has \"") + token + tr("\", which is not in the vocabulary"),
          m_where);
    return *found;
  }

  std::vector<std::int64_t> charactersOf(const std::string& word) const {
    const auto characters = splitCharacters(word);
    std::vector<std::int64_t> tokens;
    for (std::size_t i = 0; i < characters.size(); ++i) {
      std::string token(characters[i]);
      if (i + 1 == characters.size()) token += m_ending;
      const auto found = find(token);
      if (!found && !m_unknown) failUnknown(characters[i]);
      tokens.push_back(found ? *found : *m_unknown);
    }
    return tokens;
  }

  Merge mergeOf(std::int64_t left, std::int64_t right) const {
    const auto found = m_merges.find(pairKey(left, right));
    return found == m_merges.end() ? Merge() : found->second;
  }

  /// The leftmost of the first rank; false where nothing is left to merge.
  bool mergeFirst(std::vector<std::int64_t>& tokens, std::vector<Merge>& merges) const {
    const auto first =
        std::min_element(merges.begin(), merges.end(),
                         [](const Merge& a, const Merge& b) { return a.rank < b.rank; });
    if (first == merges.end() || first->rank == kNoRank) return false;
    const auto at = first - merges.begin();
    tokens[static_cast<std::size_t>(at)] = first->result;
    tokens.erase(tokens.begin() + at + 1);
    merges.erase(first);
    for (const auto pair : {at - 1, at})
      if (pair >= 0 && pair < static_cast<std::ptrdiff_t>(merges.size()))
        merges[static_cast<std::size_t>(pair)] = mergeOf(
            tokens[static_cast<std::size_t>(pair)], tokens[static_cast<std::size_t>(pair) + 1]);
    return true;
  }

  std::string m_where, m_ending;
  std::unordered_map<std::string, std::int64_t> m_tokens;
  std::unordered_map<std::uint64_t, Merge> m_merges;
  std::optional<std::int64_t> m_unknown;
};

}  // namespace

std::unique_ptr<SubwordModel> makeBytePairs(const Json& json, const std::string& where) {
  return std::make_unique<BytePairs>(json, where);
}

}  // namespace headlight
