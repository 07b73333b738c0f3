// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the plot of readings can show, and its texts.

#include <QString>

#include <string>

namespace headlight {

struct ReadingChoice {
  enum class Kind { Reading, Alpha, Fits } kind = Kind::Reading;
  std::string reading = {};  ///< its name, as the mechanism calls it
  int layer = -1;            ///< whose heads' α are drawn; −1: every layer, mean over soft heads
  bool operator==(const ReadingChoice&) const = default;
};

QString readingChoiceText(const ReadingChoice& choice);
QString readingChoiceTip(const ReadingChoice& choice);

}  // namespace headlight
