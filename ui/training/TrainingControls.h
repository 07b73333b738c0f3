// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The commands of the Training dock and their rows of buttons.

#include <QCoreApplication>
#include <QList>

class QAction;
class QLabel;
class QProgressBar;
class QToolButton;
class QWidget;

namespace headlight {

struct TrainingActions {
  QAction *start, *pause, *stop, *resume;
  QAction *openBest, *compareStart;                   ///< of the run that has ended
  QAction *follow, *stopFollowing;                    ///< for a run that another program trains
  QAction *followEdits, *lookThrough, *learningRate;  ///< checkable

  QList<QAction*> all() const {
    return {start,  pause,         stop,        resume,      openBest,    compareStart,
            follow, stopFollowing, followEdits, lookThrough, learningRate};
  }
};
TrainingActions makeTrainingActions(QWidget* owner);

/// Buttons of a run, with state, numbers and warnings beside them.
struct TrainingControlRow {
  static constexpr int kProgressSteps = 10000;  ///< resolution of the progress bar

  QWidget* row;
  QLabel* state;
  QProgressBar* progress;
  QLabel* numbers;        ///< remaining time and speed
  QToolButton* warnings;  ///< shows their number; the caller connects it
};
TrainingControlRow makeTrainingControls(const TrainingActions& actions, QWidget* parent);
/// Check boxes for the checkable actions.
QWidget* makeTrainingOptions(const TrainingActions& actions, QWidget* parent);

}  // namespace headlight
