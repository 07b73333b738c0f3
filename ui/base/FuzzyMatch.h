// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>

#include <optional>

namespace headlight {

struct FuzzyMatch {
  int score = 0;         ///< greater is better
  QList<int> positions;  ///< of the matched letters in the text
};

/// Whether the letters of `query` occur in `text` in that order, case ignored, and how well:
/// letters that begin words and letters in a row count more, skipped ones less. Spaces in the query
/// separate words that may stand in any order. An empty query matches everything alike.
std::optional<FuzzyMatch> fuzzyMatch(const QString& query, const QString& text);

}  // namespace headlight
