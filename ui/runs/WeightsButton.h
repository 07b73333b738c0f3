// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Opens weights of a run: a menu of the checkpoints that it has kept.

#include <QPushButton>

#include "core/workbench/runs/RunFollower.h"

class QMenu;

namespace headlight {

class BackgroundTask;

class WeightsButton : public QPushButton {
  Q_OBJECT
 public:
  explicit WeightsButton(QWidget* parent = nullptr);

  /// Empty: there is none, and nothing to open. The folder is read again whenever the menu opens.
  void setRun(const QString& folder);
  /// The best; where there is none yet the last. Tells `nothingKept` where there is neither.
  void openBest();

 Q_SIGNALS:
  void openRequested(const QString& checkpoint);
  void nothingKept();

 private:
  void read();
  void fill(const std::vector<RunCheckpoint>& kept);

  QString m_run;
  std::vector<RunCheckpoint> m_kept;  ///< that the menu shows
  QMenu* m_menu;
  BackgroundTask *m_reading, *m_opening;
};

}  // namespace headlight
