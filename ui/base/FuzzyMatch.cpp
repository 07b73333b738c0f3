// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/FuzzyMatch.h"

#include <QStringList>

#include <algorithm>
#include <vector>

namespace headlight {
namespace {

constexpr int kLetter = 1, kWordStart = 8, kInARow = 6, kExactWord = 10, kFirst = 4;
constexpr int kNever = -100000;

bool beginsWord(const QString& text, int position) {
  return position == 0 || !text[position - 1].isLetterOrNumber();
}

/// The word itself, standing alone in the text; where it stands first, or after the category's
/// colon, it is meant most likely.
std::optional<FuzzyMatch> findWord(const QString& word, const QString& text) {
  const int letters = static_cast<int>(word.size());
  std::optional<FuzzyMatch> best;
  for (int at = 0; (at = static_cast<int>(text.indexOf(word, at, Qt::CaseInsensitive))) >= 0;
       ++at) {
    const bool ends = at + letters == text.size() || !text[at + letters].isLetterOrNumber();
    if (!beginsWord(text, at) || !ends) continue;
    const bool first = at == 0 || (at > 1 && text[at - 2] == QLatin1Char(':'));
    FuzzyMatch match{letters * kLetter + kWordStart + (letters - 1) * kInARow + kExactWord +
                         (first ? kFirst : 0),
                     {}};
    for (int i = 0; i < letters; ++i)
      match.positions << at + i;
    if (!best || match.score > best->score) best = match;
  }
  return best;
}

/// The best placement of one word's letters: best[i][j] ends letter i at position j.
std::optional<FuzzyMatch> matchWord(const QString& word, const QString& text) {
  const int letters = static_cast<int>(word.size()), length = static_cast<int>(text.size());
  if (letters > length) return std::nullopt;
  if (auto whole = findWord(word, text)) return whole;
  std::vector<std::vector<int>> best(letters, std::vector<int>(length, kNever));
  std::vector<std::vector<int>> from(letters, std::vector<int>(length, -1));
  for (int i = 0; i < letters; ++i) {
    int before = kNever, beforeAt = -1;  // the best end of letter i − 1 left of j − 1
    for (int j = i; j < length; ++j) {
      if (i > 0 && j >= 2 && best[i - 1][j - 2] > before) {
        before = best[i - 1][j - 2];
        beforeAt = j - 2;
      }
      if (text[j].toCaseFolded() != word[i].toCaseFolded()) continue;
      const int own = kLetter + (beginsWord(text, j) ? kWordStart : 0);
      if (i == 0) {
        best[i][j] = own;
        continue;
      }
      const int inARow = best[i - 1][j - 1] + kInARow;
      const bool takeRow = inARow >= before;
      if (std::max(inARow, before) <= kNever / 2) continue;
      best[i][j] = own + (takeRow ? inARow : before);
      from[i][j] = takeRow ? j - 1 : beforeAt;
    }
  }
  const auto& last = best[letters - 1];
  const auto end = std::max_element(last.begin(), last.end());
  if (*end <= kNever / 2) return std::nullopt;
  FuzzyMatch match{*end, {}};
  for (int i = letters - 1, j = static_cast<int>(end - last.begin()); i >= 0; j = from[i--][j])
    match.positions.prepend(j);
  return match;
}

}  // namespace

std::optional<FuzzyMatch> fuzzyMatch(const QString& query, const QString& text) {
  FuzzyMatch all;
  for (const QString& word : query.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
    const auto match = matchWord(word, text);
    if (!match) return std::nullopt;
    all.score += match->score;
    all.positions += match->positions;
  }
  std::sort(all.positions.begin(), all.positions.end());
  // Between equals the shorter text: more of it was asked for.
  if (!all.positions.isEmpty()) all.score = all.score * 100 - static_cast<int>(text.size());
  return all;
}

}  // namespace headlight
