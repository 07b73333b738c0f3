// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Text broken into lines that fit.

#include <QFontMetricsF>
#include <QStringList>

namespace headlight {

/// Lines of at most `width`, broken at spaces, within a word only where the word alone is wider;
/// ends of lines in `text` stay.
QStringList brokenLines(const QFontMetricsF& metrics, const QString& text, double width);

}  // namespace headlight
