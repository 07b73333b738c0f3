// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Labels show their text verbatim unless their format was set. Qt takes what looks like markup for
// markup, and names come from files.

#include <QObject>

namespace headlight {

class PlainTextLabels : public QObject {
 public:
  /// For every label of the program, until it is destroyed.
  explicit PlainTextLabels(QObject* parent);
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace headlight
