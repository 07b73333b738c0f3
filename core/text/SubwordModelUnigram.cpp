// SPDX-License-Identifier: GPL-3.0-or-later

// SubwordModel.h: SentencePiece's unigram language model (Kudo 2018): the pieces of a word whose
// log probabilities sum to the most, by Viterbi's algorithm.

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/base/Translation.h"
#include "core/text/Characters.h"
#include "core/text/SubwordModel.h"

namespace headlight {
namespace {

/// What an unknown character costs more than the least probable piece.
constexpr double kUnknownPenalty = 10;
constexpr std::size_t kLongestPiece = 256;  // in bytes; SentencePiece's own limit is 16 characters

class Unigram : public SubwordModel {
 public:
  Unigram(const Json& json, const std::string& where) : m_where(where) {
    if (tokenizerFlag(json, "byte_fallback", false, where)) refuseTokenizer("byte_fallback", where);
    readVocabulary(tokenizerValue(json, "vocab"));
    const Json& unknown = tokenizerValue(json, "unk_id");
    if (unknown.is_null()) return;
    m_unknown = tokenNumber(unknown, where);
    if (static_cast<std::size_t>(*m_unknown) >= m_scores.size())
      failTokenizer(tr("unk_id is not in the vocabulary"), where);
  }

  void encode(const std::string& word, std::vector<std::int64_t>& ids) const override {
    const std::vector<Best> best = bestPieces(word);
    std::vector<std::int64_t> pieces;
    for (std::size_t end = word.size(); end > 0; end = best[end].start) {
      // Unknown characters in a row are one token.
      const bool again = m_unknown && best[end].piece == *m_unknown && !pieces.empty() &&
                         pieces.back() == *m_unknown;
      if (!again) pieces.push_back(best[end].piece);
    }
    ids.insert(ids.end(), pieces.rbegin(), pieces.rend());
  }

  std::optional<std::int64_t> find(const std::string& token) const override {
    const auto found = m_pieces.find(token);
    return found == m_pieces.end() ? std::nullopt : std::optional(found->second);
  }

  const char* kind() const override { return "Unigram"; }

 private:
  /// The best way to the end of a character.
  struct Best {
    bool reached = false;
    double score = 0;
    std::size_t start = 0;
    std::int64_t piece = 0;
  };

  void readVocabulary(const Json& json) {
    if (!json.is_array() || json.empty() || json.size() > kMostTokens)
      failTokenizer(tr("the vocabulary must have from 1 to 1000000 tokens"), m_where);
    for (const Json& entry : json)
      addPiece(entry);
    m_least = *std::min_element(m_scores.begin(), m_scores.end());
  }

  void addPiece(const Json& entry) {
    const bool valid = entry.is_array() && entry.size() == 2 && entry[0].is_string() &&
                       entry[1].is_number() && std::isfinite(entry[1].get<double>());
    if (!valid) failTokenizer(tr("a piece must be a text and its score"), m_where);
    const auto& piece = entry[0].get_ref<const std::string&>();
    if (piece.size() > kLongestPiece)
      failTokenizer(tr("a piece is longer than 256 bytes"), m_where);
    m_pieces[piece] = static_cast<std::int64_t>(m_scores.size());
    m_scores.push_back(entry[1].get<double>());
    m_longest = std::max(m_longest, piece.size());
  }

  std::vector<Best> bestPieces(const std::string& word) const {
    std::vector<Best> best(word.size() + 1);
    best[0].reached = true;
    std::size_t start = 0;
    for (const std::string_view character : splitCharacters(word)) {
      const bool single = tryPieces(word, start, character.size(), best);
      if (!single && !m_unknown) failUnknown(character);
      if (!single)
        offer(best, start, start + character.size(), m_least - kUnknownPenalty, *m_unknown);
      start += character.size();
    }
    return best;
  }

  /// All pieces at `start`; whether one is the single character there.
  bool tryPieces(const std::string& word, std::size_t start, std::size_t length,
                 std::vector<Best>& best) const {
    const std::size_t most = std::min(m_longest, word.size() - start);
    bool single = false;
    for (std::size_t size = 1; size <= most; ++size) {
      const auto found = find(word.substr(start, size));
      if (!found) continue;
      offer(best, start, start + size, m_scores[static_cast<std::size_t>(*found)], *found);
      single = single || size == length;
    }
    return single;
  }

  static void offer(std::vector<Best>& best, std::size_t start, std::size_t end, double score,
                    std::int64_t piece) {
    const double sum = best[start].score + score;
    if (!best[end].reached || sum > best[end].score) best[end] = {true, sum, start, piece};
  }

  std::string m_where;
  std::unordered_map<std::string, std::int64_t> m_pieces;
  std::vector<double> m_scores;
  double m_least = 0;
  std::size_t m_longest = 0;
  std::optional<std::int64_t> m_unknown;
};

}  // namespace

std::unique_ptr<SubwordModel> makeUnigram(const Json& json, const std::string& where) {
  return std::make_unique<Unigram>(json, where);
}

}  // namespace headlight
