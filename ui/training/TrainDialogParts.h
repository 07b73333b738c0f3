// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The widgets of TrainDialog besides the forms of its settings. The caller connects them.

#include <QString>

#include "core/config/Tasks.h"

class QDialogButtonBox;
class QGridLayout;
class QPushButton;
class QRadioButton;
class QToolButton;
class QWidget;

namespace headlight {

class Document;
class MessageLabel;
class PathRow;

/// The starting weights of a run: exactly one is chosen.
struct TrainStart {
  QWidget* row;
  QRadioButton* fromLoaded;  ///< disabled if the open model has no file
  QRadioButton* fromRandom;
  QRadioButton* fromFile;  ///< the file named in the settings; hidden if there is none
};

/// The few questions that everybody answers: which data, starting from what, how long, how fast,
/// where to. Fields of the forms go into `grid`, in two rows each.
struct TrainQuestions {
  QWidget* panel;
  QGridLayout* grid;
  PathRow* data;
  MessageLabel* note;     ///< what was found in the data folder
  MessageLabel* summary;  ///< of the data
  TrainStart start;
  int howLong, howFast;  ///< rows of `grid` for the fields
  MessageLabel* time;
  PathRow* folder;
};
TrainQuestions makeTrainQuestions(const Document& document, Task task, QWidget* parent);
/// "with class folders of images, …": what a folder of data may hold, after "a folder".
QString knownFolders(Task task);
/// Once the fields are there: all answers begin at the same place.
void alignQuestions(const TrainQuestions& questions);

/// Shows and hides all other settings.
QToolButton* makeAdvancedButton(QWidget* parent);

struct TrainButtons {
  QDialogButtonBox* box;
  QPushButton* start;
  QPushButton* exportConfig;
};
TrainButtons makeTrainButtons(QWidget* parent);

}  // namespace headlight
