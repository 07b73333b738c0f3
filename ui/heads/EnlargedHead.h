// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One tile of all heads, enlarged to the place of all of them: a canvas of the chosen head.

#include "ui/canvas/Canvas.h"

class QToolButton;

namespace headlight {

/// A double click, Esc (where no token is pinned) or its button ask for all heads again.
class EnlargedHead : public Canvas {
  Q_OBJECT
 public:
  EnlargedHead(Document* document, QWidget* parent);

 Q_SIGNALS:
  void closed();

 protected:
  bool handleKey(QKeyEvent* event) override;
  bool claimsKey(const QKeyEvent& event) const override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QToolButton* m_back;
};

}  // namespace headlight
