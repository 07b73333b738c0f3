// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What TrainDialog is put together from, besides the forms of its settings. Whoever makes a part
// connects it.

#include <QString>

class QDialogButtonBox;
class QPushButton;
class QRadioButton;
class QVBoxLayout;
class QWidget;

namespace headlight {

class Document;
class MessageLabel;
class PathRow;

/// The folder of the data and what was found there; the form of their settings goes below.
struct TrainDataPage {
  QWidget* page;
  QVBoxLayout* column;
  PathRow* folder;
  MessageLabel* note;
};
TrainDataPage makeTrainDataPage(const QString& folder, QWidget* parent);

/// Which weights a run starts from: exactly one is chosen.
struct TrainStart {
  QWidget* row;
  QRadioButton* fromLoaded;  ///< off where the open model has no file
  QRadioButton* fromRandom;
  QRadioButton* fromFile;  ///< another file, as the settings name it; hidden where they name none
};

/// Below the settings: what the data are, what to start from, how long it takes, where the run
/// goes, what is wrong.
struct TrainFooter {
  QWidget* footer;
  MessageLabel* summary;
  TrainStart start;
  MessageLabel* time;
  PathRow* folder;
  MessageLabel* error;
};
TrainFooter makeTrainFooter(const Document& document, QWidget* parent);

struct TrainButtons {
  QDialogButtonBox* box;
  QPushButton* start;
  QPushButton* exportConfig;
};
TrainButtons makeTrainButtons(QWidget* parent);

}  // namespace headlight
