// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A bar and the time that remains. Empty and quiet while nothing goes on.

#include <QWidget>

#include "core/base/Progress.h"

class QLabel;
class QProgressBar;

namespace headlight {

class ProgressLine : public QWidget {
  Q_OBJECT
 public:
  /// `what`: for those who hear it ("Progress of the training").
  explicit ProgressLine(const QString& what, QWidget* parent = nullptr);

  void setProgress(const Progress& progress);
  void setBusy();  ///< work of unknown length goes on
  void clear();

 private:
  QProgressBar* m_bar;
  QLabel* m_remaining;
};

/// "ETA 1:12"; empty while `secondsRemaining` is negative, unknown.
QString remainingText(double secondsRemaining);

}  // namespace headlight
