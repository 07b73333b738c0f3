#pragma once
// What TrainDialog is put together from, besides the forms of its settings. Whoever makes a part
// connects it.

#include <QString>

class QCheckBox;
class QDialogButtonBox;
class QPushButton;
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

/// Below the settings: what the data are, what to begin with, where the run goes, what is wrong.
struct TrainFooter {
  QWidget* footer;
  MessageLabel* summary;
  QCheckBox* fromLoaded;
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
