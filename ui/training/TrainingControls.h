// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The commands of the Training dock, and the rows that they stand in.

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
  QAction *follow, *stopFollowing;                    ///< a run that somebody else trains
  QAction *followEdits, *lookThrough, *learningRate;  ///< checkable

  QList<QAction*> all() const {
    return {start,         pause,       stop,        resume,      follow,
            stopFollowing, followEdits, lookThrough, learningRate};
  }
};
TrainingActions makeTrainingActions(QWidget* owner);

/// Buttons of a run, and what is said of it beside them.
struct TrainingControlRow {
  static constexpr int kProgressSteps = 10000;  ///< of the whole run

  QWidget* row;
  QLabel* state;
  QProgressBar* progress;
  QLabel* numbers;        ///< remaining time and speed
  QToolButton* warnings;  ///< how many there were; to be connected
};
TrainingControlRow makeTrainingControls(const TrainingActions& actions, QWidget* parent);
/// Check boxes for what can be turned on and off.
QWidget* makeTrainingOptions(const TrainingActions& actions, QWidget* parent);

}  // namespace headlight
