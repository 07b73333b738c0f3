// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A line of plain text that gives way: without room for all of it, its middle is left out, so that
// no name can widen a window. The text itself stays whole, and its tip then begins with it.

#include <QLabel>

namespace headlight {

class ElidedLabel : public QLabel {
 public:
  using QLabel::QLabel;

  QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  QString fitted() const;
};

}  // namespace headlight
