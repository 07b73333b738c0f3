// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/training/TrainDialogParts.h"

#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QVBoxLayout>

#include "ui/base/Icons.h"
#include "ui/base/SanitizedText.h"
#include "ui/document/Document.h"
#include "ui/forms/PathRow.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

QString dialogText(const char* text) {
  return QCoreApplication::translate("TrainDialog", text);
}

QRadioButton* addChoice(QWidget* row, const char* name, const QString& text) {
  auto* choice = new QRadioButton(text, row);
  choice->setObjectName(QLatin1String(name));
  row->layout()->addWidget(choice);
  return choice;
}

TrainStart makeTrainStart(const Document& document, QWidget* parent) {
  TrainStart parts;
  parts.row = new QWidget(parent);
  auto* layout = new QHBoxLayout(parts.row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(new QLabel(dialogText("Start from:"), parts.row));
  const bool hasFile = document.hasModel() && !document.model().weights.empty();
  const QString file =
      hasFile ? QString::fromStdString(document.model().weights.string()) : QString();
  parts.fromLoaded = addChoice(
      parts.row, "fromLoaded",
      hasFile ? dialogText("the open w&eights (%1)").arg(displayName(QFileInfo(file).fileName()))
              : dialogText("the open w&eights"));
  parts.fromLoaded->setEnabled(hasFile);
  parts.fromLoaded->setToolTip(
      hasFile ? dialogText("Goes on from %1").arg(file)
              : dialogText("The open model has random weights, or was not saved: there is no file "
                           "to start from"));
  parts.fromRandom = addChoice(parts.row, "fromRandom", dialogText("&random weights"));
  parts.fromRandom->setToolTip(
      dialogText("Begins at chance; what the open model has learned is not used"));
  parts.fromFile = addChoice(parts.row, "fromFile", QString());
  parts.fromFile->setToolTip(dialogText("As Training → Weights says"));
  layout->addStretch(1);
  return parts;
}

}  // namespace

TrainDataPage makeTrainDataPage(const QString& folder, QWidget* parent) {
  TrainDataPage parts;
  parts.page = new QWidget(parent);
  parts.folder = new PathRow({"dataFolder",
                              dialogText("&Folder"),
                              dialogText("Folder of the dataset"),
                              dialogText("A folder of class folders, CIFAR-10/100 binary files or "
                                         "IDX files: its kind is found by itself"),
                              dialogText("none: procedural texture-shape images"),
                              "browseData",
                              dialogText("Browse…"),
                              {}},
                             parts.page);
  parts.folder->setPath(folder);
  parts.note = new MessageLabel(parts.page);
  parts.note->setObjectName(QStringLiteral("dataNote"));
  parts.column = new QVBoxLayout(parts.page);
  parts.column->setContentsMargins(0, 0, 0, 0);
  parts.column->addWidget(parts.folder);
  parts.column->addWidget(parts.note);
  return parts;
}

TrainFooter makeTrainFooter(const Document& document, QWidget* parent) {
  TrainFooter parts;
  parts.footer = new QWidget(parent);
  parts.summary = new MessageLabel(parts.footer);
  parts.summary->setObjectName(QStringLiteral("dataSummary"));
  parts.start = makeTrainStart(document, parts.footer);
  parts.time = new MessageLabel(parts.footer);
  parts.time->setObjectName(QStringLiteral("trainTime"));
  parts.folder =
      new PathRow({"runFolder",
                   dialogText("Run f&older"),
                   dialogText("Run folder"),
                   dialogText("Where the config, metrics and checkpoints of this run are written"),
                   {},
                   "browseRun",
                   dialogText("Browse…"),
                   {}},
                  parts.footer);
  parts.error = new MessageLabel(parts.footer);
  parts.error->setObjectName(QStringLiteral("trainError"));
  auto* layout = new QVBoxLayout(parts.footer);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(parts.summary);
  layout->addWidget(parts.start.row);
  layout->addWidget(parts.time);
  layout->addWidget(parts.folder);
  layout->addWidget(parts.error);
  return parts;
}

TrainButtons makeTrainButtons(QWidget* parent) {
  TrainButtons parts;
  parts.box = new QDialogButtonBox(QDialogButtonBox::Cancel, parent);
  parts.start = parts.box->addButton(dialogText("Start Training"), QDialogButtonBox::AcceptRole);
  parts.start->setObjectName(QStringLiteral("startTraining"));
  parts.start->setIcon(lineIcon(QStringLiteral("play")));
  parts.start->setDefault(true);
  parts.exportConfig =
      parts.box->addButton(dialogText("Export Config…"), QDialogButtonBox::ActionRole);
  parts.exportConfig->setObjectName(QStringLiteral("exportTraining"));
  parts.exportConfig->setIcon(lineIcon(QStringLiteral("export")));
  parts.exportConfig->setToolTip(
      dialogText("Save these settings, model and masks for headlight-cli train"));
  return parts;
}

}  // namespace headlight
