// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Opens weights of a run: a menu of its checkpoints.

#include <QPushButton>

#include "core/workbench/runs/RunCheckpoints.h"

class QMenu;

namespace headlight {

class BackgroundTask;

class WeightsButton : public QPushButton {
  Q_OBJECT
 public:
  explicit WeightsButton(QWidget* parent = nullptr);

  /// Empty: no run. The folder is read again whenever the menu opens.
  void setRun(const QString& folder);
  /// The best weights, else the last; `nothingKept` if there is neither.
  void openBest();

 Q_SIGNALS:
  void openRequested(const QString& checkpoint);
  void nothingKept();

 private:
  void read();
  void fill(const std::vector<RunCheckpoint>& kept);

  QString m_run;
  std::vector<RunCheckpoint> m_kept;  ///< in the menu
  QMenu* m_menu;
  BackgroundTask *m_reading, *m_opening;
};

}  // namespace headlight
