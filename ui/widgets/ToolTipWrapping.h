// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tool tips of more than a line are folded at a readable width. Qt folds only those that it takes
// for markup, and ours are plain.

#include <QObject>

namespace headlight {

class ToolTipWrapping : public QObject {
 public:
  /// For every widget of the program that has a tool tip, until it is destroyed.
  explicit ToolTipWrapping(QObject* parent);
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace headlight
