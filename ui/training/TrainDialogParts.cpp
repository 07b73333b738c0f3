#include "ui/training/TrainDialogParts.h"

#include <QCheckBox>
#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/base/Icons.h"
#include "ui/base/MessageLabel.h"
#include "ui/document/Document.h"
#include "ui/forms/PathRow.h"

namespace headlight {
namespace {

QString dialogText(const char* text) {
  return QCoreApplication::translate("TrainDialog", text);
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
  parts.fromLoaded = new QCheckBox(dialogText("Start from the &loaded weights"), parts.footer);
  parts.fromLoaded->setObjectName(QStringLiteral("fromLoaded"));
  const bool hasFile = document.hasModel() && !document.model().weights.empty();
  parts.fromLoaded->setEnabled(hasFile);
  parts.fromLoaded->setToolTip(
      hasFile ? dialogText("Begins with %1 instead of random weights")
                    .arg(QString::fromStdString(document.model().weights.string()))
              : dialogText("The loaded model has random weights, or was not saved: there is no "
                           "file to begin with"));
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
  layout->addWidget(parts.fromLoaded);
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
