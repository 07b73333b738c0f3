// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where the words of a caption go. A caption never ends in "…": it breaks between its parts, and
// the least important parts are left to the tool tip, which has them all. Pure functions.

#include <QFontMetricsF>
#include <QList>
#include <QString>
#include <QStringList>

namespace headlight {

struct Legend;

/// A piece of text on one line of a caption.
struct CaptionPiece {
  QString text;
  int line = 0;
  double left = 0;  ///< from the left end of the line
  bool isDetail = false;
  bool operator==(const CaptionPiece&) const = default;
};

struct CaptionLayout {
  QList<CaptionPiece> pieces;
  bool complete = true;  ///< nothing was left out
};

/// Title, detail and name of the weights, in this order, over lines of these widths. The detail
/// begins a line where there is one left; its end and the weights go beside the title where they
/// have no room below. What has no room at all is left out from the end of each.
CaptionLayout layOutCaption(const QFontMetricsF& metrics, const Legend& legend,
                            const QList<double>& widths);

/// The note in at most `count` lines of `width`: all of it, or the sentences or clauses that fit.
QStringList layOutNote(const QFontMetricsF& metrics, const QString& note, double width, int count);

}  // namespace headlight
