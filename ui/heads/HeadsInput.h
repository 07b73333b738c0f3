// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The mouse and the keys over the tiles of all heads: which head they choose.

#include <QObject>

#include <optional>
#include <utility>

class QHelpEvent;
class QKeyEvent;
class QMouseEvent;

namespace headlight {

class Document;
class HeadsArea;

/// (layer, head) that a key leads to from `at`, as it may lie beyond the grid; nothing for another
/// key. `page`: layers in sight.
std::optional<std::pair<int, int>> headAfterKey(int key, std::pair<int, int> at, int layers,
                                                int page);

/// A click or the arrows choose; a double click, or Enter, asks to enlarge.
class HeadsInput : public QObject {
  Q_OBJECT
 public:
  HeadsInput(Document* document, HeadsArea* area);

  void press(const QMouseEvent& event);
  void doubleClick(const QMouseEvent& event);
  void pressKey(QKeyEvent* event);  ///< ignores an event that is none of its
  void showToolTip(const QHelpEvent& event);

 Q_SIGNALS:
  void enlarged();  ///< the chosen head is to be shown alone

 private:
  void choose(std::pair<int, int> cell);

  Document* m_document;
  HeadsArea* m_area;
};

}  // namespace headlight
