// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A guided tour over the live window in five steps. It shows the open model with its own numbers,
// takes neither focus nor mouse from the window, and leaves everything as it was.

#include <QList>
#include <QObject>
#include <QPointer>
#include <QTimer>

#include <vector>

#include "ui/tour/TourEdit.h"
#include "ui/tour/TourStage.h"

class QAction;

namespace headlight {

class TourBalloon;
class TourRing;

class Tour : public QObject {
  Q_OBJECT
 public:
  explicit Tour(const TourParts& parts);
  ~Tour() override;

  /// From the first step, also while it runs.
  void start();
  void next();  ///< after the last step it ends
  void back();
  /// Undoes the tour's own mask edit, and goes back to the former workspace.
  void leave();
  bool isRunning() const { return m_step >= 0; }
  int step() const { return m_step; }  ///< from 0; −1: it does not run
  const std::vector<TourStep>& steps() const { return m_steps; }

  /// Start, next and previous step, for the Help menu.
  const QList<QAction*>& commands() const { return m_commands; }

  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void makeCommands();
  void makeWidgets();
  void connectParts();
  void showStep(int step);
  void refreshSoon();
  void refresh();
  void place();
  void watch(QWidget* target);
  QWidget* target() const;  ///< null while it is not seen in the window
  bool isLeavingKey(const QObject* watched, const QEvent& event) const;

  TourParts m_parts;
  std::vector<TourStep> m_steps;
  TourStage m_stage;
  TourEdit m_edit;
  QPointer<TourBalloon> m_balloon;
  QPointer<TourRing> m_ring;
  QList<QPointer<QWidget>> m_watched;
  QList<QAction*> m_commands;
  QTimer m_soon;
  int m_step = -1;
};

}  // namespace headlight
