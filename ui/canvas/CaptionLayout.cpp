// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/CaptionLayout.h"

#include <algorithm>

#include "ui/base/TextWrapping.h"
#include "ui/canvas/ImagePainting.h"

namespace headlight {
namespace {

constexpr double kCaptionGap = 14;  ///< between title and detail on one line
const QString kSeparator = QStringLiteral(" · ");

/// Fills lines from left to right, and takes back a part of which only the beginning has room.
class CaptionFlow {
 public:
  CaptionFlow(const QFontMetricsF& metrics, const QList<double>& widths)
      : m_metrics(metrics), m_widths(widths) {}

  void addTitle(const QString& text) {
    m_complete = addParts(text).isEmpty();
    m_titleEnd = m_at;
  }

  /// And the weights at its end; what has no room there goes beside the title, if it has some.
  void addDetail(const QString& text, const QString& weights) {
    m_isDetail = true;
    if (m_at.line + 1 < m_widths.size() && !m_at.pieces.isEmpty()) nextLine();
    QStringList rest = addParts(text);
    if (!weights.isEmpty() && !(rest.isEmpty() && added(weights))) rest << weights;
    addBesideTitle(rest);
  }

  CaptionLayout layout() const { return {m_at.pieces, m_complete}; }

 private:
  struct Place {
    QList<CaptionPiece> pieces;
    int line = 0;
    double left = 0;
  };

  double width(const QString& text) const { return m_metrics.horizontalAdvance(text); }
  double widest() const { return *std::max_element(m_widths.begin() + m_at.line, m_widths.end()); }

  /// Returns what has no room.
  QStringList addParts(const QString& text) {
    QStringList parts = text.split(kSeparator, Qt::SkipEmptyParts);
    while (!parts.isEmpty() && added(parts.first()))
      parts.removeFirst();
    return parts;
  }

  bool added(const QString& part) {
    const Place before = m_at;
    if (addPart(part)) return true;
    m_at = before;
    return false;
  }

  void addBesideTitle(const QStringList& parts) {
    const bool apart = m_titleEnd.left > 0 && m_titleEnd.line < m_at.line;
    double left = m_titleEnd.left + kCaptionGap;
    bool first = true;
    for (const QString& part : parts) {
      const QString text = first ? part : kSeparator + part;
      const bool fits = apart && left + width(text) <= m_widths[m_titleEnd.line];
      m_complete = m_complete && fits;
      if (!fits) continue;
      m_at.pieces.append({text, m_titleEnd.line, left, true});
      left += width(text);
      first = false;
    }
  }

  bool addPart(const QString& part) {
    if (width(part) <= widest()) return addWhole(part, kSeparator);
    QString joint = kSeparator;  // too long for any line: word by word
    for (const QString& word : part.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
      const QString fitted = m_metrics.elidedText(word, Qt::ElideMiddle, widest());
      if (!addWhole(fitted, joint)) return false;
      joint = QStringLiteral(" ");
    }
    return true;
  }

  bool addWhole(const QString& text, const QString& joint) {
    if (goesOn()) return extend(text, joint) || (nextLine() && addWhole(text, joint));
    const double gap = m_at.left > 0 ? kCaptionGap : 0;
    if (m_at.left + gap + width(text) <= m_widths[m_at.line]) return begin(text, gap);
    return nextLine() && addWhole(text, joint);
  }

  /// Whether the last piece is of this line and of the same kind.
  bool goesOn() const { return m_at.left > 0 && m_at.pieces.last().isDetail == m_isDetail; }

  bool extend(const QString& text, const QString& joint) {
    const double more = width(joint + text);
    if (m_at.left + more > m_widths[m_at.line]) return false;
    m_at.pieces.last().text += joint + text;
    m_at.left += more;
    return true;
  }

  bool begin(const QString& text, double gap) {
    m_at.pieces.append({text, m_at.line, m_at.left + gap, m_isDetail});
    m_at.left += gap + width(text);
    return true;
  }

  bool nextLine() {
    if (m_at.line + 1 >= m_widths.size()) return false;
    ++m_at.line;
    m_at.left = 0;
    return true;
  }

  const QFontMetricsF& m_metrics;
  const QList<double>& m_widths;
  Place m_at, m_titleEnd;
  bool m_isDetail = false, m_complete = true;
};

/// `note` without its last sentence, or its last clause where it has one sentence; empty where it
/// has neither.
QString withoutEnd(const QString& note) {
  for (const char* end : {". ", "; ", ": ", ", "})
    if (const auto at = note.lastIndexOf(QLatin1String(end)); at > 0) {
      const bool sentence = *end == '.';
      return note.left(at + (sentence ? 1 : 0));
    }
  return {};
}

}  // namespace

CaptionLayout layOutCaption(const QFontMetricsF& metrics, const Legend& legend,
                            const QList<double>& widths) {
  if (widths.isEmpty()) return {};
  CaptionFlow flow(metrics, widths);
  flow.addTitle(legend.title);
  flow.addDetail(legend.detail, legend.weights);
  return flow.layout();
}

QStringList layOutNote(const QFontMetricsF& metrics, const QString& note, double width, int count) {
  QString shown = note;
  QStringList lines = brokenLines(metrics, shown, width);
  while (lines.size() > count) {
    const QString shorter = withoutEnd(shown);
    if (shorter.isEmpty()) return lines.mid(0, count);
    shown = shorter;
    lines = brokenLines(metrics, shown, width);
  }
  return lines;
}

}  // namespace headlight
