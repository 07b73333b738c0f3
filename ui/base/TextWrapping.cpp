// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/TextWrapping.h"

#include <algorithm>

namespace headlight {
namespace {

/// How many letters of `word` fit; at least one, so that there is an end.
qsizetype fittingLetters(const QFontMetricsF& metrics, const QString& word, double width) {
  qsizetype count = 1;
  while (count < word.size() && metrics.horizontalAdvance(word.left(count + 1)) <= width)
    ++count;
  return count;
}

/// `lines` with `word` behind their last, or below it.
void append(QStringList& lines, QString word, const QFontMetricsF& metrics, double width) {
  const QString longer = lines.last().isEmpty() ? word : lines.last() + QLatin1Char(' ') + word;
  if (metrics.horizontalAdvance(longer) <= width) {
    lines.last() = longer;
    return;
  }
  if (lines.last().isEmpty()) lines.removeLast();
  while (metrics.horizontalAdvance(word) > width && word.size() > 1) {
    const qsizetype fit = fittingLetters(metrics, word, width);
    lines << word.left(fit);
    word = word.mid(fit);
  }
  lines << word;
}

}  // namespace

QStringList brokenLines(const QFontMetricsF& metrics, const QString& text, double width) {
  QStringList all;
  for (const QString& paragraph : text.split(QLatin1Char('\n'))) {
    QStringList lines{QString()};
    for (const QString& word : paragraph.split(QLatin1Char(' ')))
      append(lines, word, metrics, std::max(width, 1.0));
    all << lines;
  }
  return all;
}

}  // namespace headlight
