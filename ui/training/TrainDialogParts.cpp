// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/training/TrainDialogParts.h"

#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QToolButton>

#include <algorithm>
#include <vector>

#include "ui/base/Icons.h"
#include "ui/base/SanitizedText.h"
#include "ui/document/Document.h"
#include "ui/document/ModelText.h"
#include "ui/forms/PathRow.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

constexpr const char* kStartLabel = "trainStartLabel";

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
  auto* label = new QLabel(QObject::tr("Start from?"), parts.row);
  label->setObjectName(QLatin1String(kStartLabel));
  layout->addWidget(label);
  const bool hasFile = document.inputs().hasModel() && !document.inputs().model().weights.empty();
  const QString file =
      hasFile ? QString::fromStdString(document.inputs().model().weights.string()) : QString();
  parts.fromLoaded = addChoice(
      parts.row, "fromLoaded",
      hasFile ? QObject::tr("the open w&eights (%1)").arg(weightsName(document.inputs().model()))
              : QObject::tr("the open w&eights"));
  parts.fromLoaded->setEnabled(hasFile);
  parts.fromLoaded->setToolTip(hasFile ? QObject::tr("Continue from %1").arg(file)
                                       : QObject::tr("The open model has random weights or is not "
                                                     "saved, so there is no file to start from"));
  parts.fromRandom = addChoice(parts.row, "fromRandom", QObject::tr("&random weights"));
  parts.fromRandom->setToolTip(
      QObject::tr("Starts at chance; the open model's weights are not used"));
  parts.fromFile = addChoice(parts.row, "fromFile", QString());
  parts.fromFile->setToolTip(QObject::tr("As set in Training → Weights"));
  layout->addStretch(1);
  return parts;
}

PathRow* makeDataRow(Task task, QWidget* parent) {
  return new PathRow(
      {"dataFolder",
       QObject::tr("Which &data?"),
       QObject::tr("Folder of the dataset"),
       QObject::tr("A folder %1. The format is detected").arg(knownFolders(task)),
       task == Task::Detect    ? QObject::tr("none: procedural scenes of texture-shapes with boxes")
       : task == Task::Segment ? QObject::tr("none: procedural texture-shapes with a class for "
                                             "every pixel")
                               : QObject::tr("none: procedural texture-shape images"),
       "browseData",
       QObject::tr("Browse…"),
       {}},
      parent);
}

PathRow* makeRunRow(QWidget* parent) {
  return new PathRow({"runFolder",
                      QObject::tr("Where t&o?"),
                      QObject::tr("Run folder"),
                      QObject::tr("The run's config, metrics and checkpoints are written here"),
                      {},
                      "browseRun",
                      QObject::tr("Browse…"),
                      {}},
                     parent);
}

MessageLabel* addMessage(const char* name, QGridLayout* grid, int row) {
  auto* label = new MessageLabel(grid->parentWidget());
  label->setObjectName(QLatin1String(name));
  grid->addWidget(label, row, 1, 1, 2);
  return label;
}

/// The labels of rows that lay themselves out begin their fields where the grid's do.
void alignLabels(QGridLayout* grid, const std::vector<QWidget*>& rows) {
  int width = 0;
  for (QLabel* label : grid->parentWidget()->findChildren<QLabel*>())
    if (label->buddy() || label->objectName() == QLatin1String(kStartLabel))
      width = std::max(width, label->sizeHint().width());
  grid->setColumnMinimumWidth(0, width);
  for (QWidget* row : rows) {
    row->layout()->setSpacing(grid->horizontalSpacing());
    row->findChild<QLabel*>()->setMinimumWidth(width);
  }
}

}  // namespace

QString knownFolders(Task task) {
  if (task == Task::Detect)
    return QObject::tr("with images and boxes in COCO's or Pascal VOC's format");
  if (task == Task::Segment)
    return QObject::tr("with images and label images, as ADE20K's and Cityscapes'");
  return QObject::tr("with class folders of images, tar shards, CIFAR binary files or IDX files");
}

TrainQuestions makeTrainQuestions(const Document& document, Task task, QWidget* parent) {
  TrainQuestions parts;
  parts.panel = new QWidget(parent);
  auto* grid = new QGridLayout(parts.panel);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(6);
  grid->setColumnStretch(1, 1);
  parts.data = makeDataRow(task, parts.panel);
  parts.start = makeTrainStart(document, parts.panel);
  parts.folder = makeRunRow(parts.panel);
  int row = 0;
  grid->addWidget(parts.data, row++, 0, 1, 3);
  parts.note = addMessage("dataNote", grid, row++);
  parts.summary = addMessage("dataSummary", grid, row++);
  grid->addWidget(parts.start.row, row++, 0, 1, 3);
  parts.howLong = row;
  row += 2;
  parts.time = addMessage("trainTime", grid, row++);
  parts.howFast = row;
  row += 2;
  grid->addWidget(parts.folder, row, 0, 1, 3);
  parts.grid = grid;
  return parts;
}

void alignQuestions(const TrainQuestions& questions) {
  alignLabels(questions.grid, {questions.data, questions.start.row, questions.folder});
}

QToolButton* makeAdvancedButton(QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setObjectName(QStringLiteral("trainAdvanced"));
  button->setCheckable(true);
  button->setAutoRaise(true);
  button->setFocusPolicy(Qt::StrongFocus);
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setArrowType(Qt::RightArrow);
  button->setToolTip(
      QObject::tr("Show every setting: a paper's recipe, data, optimizer, telemetry"));
  return button;
}

TrainButtons makeTrainButtons(QWidget* parent) {
  TrainButtons parts;
  parts.box = new QDialogButtonBox(QDialogButtonBox::Cancel, parent);
  parts.start = parts.box->addButton(QObject::tr("Start Training"), QDialogButtonBox::AcceptRole);
  parts.start->setObjectName(QStringLiteral("startTraining"));
  parts.start->setIcon(lineIcon(QStringLiteral("play")));
  parts.start->setDefault(true);
  parts.exportConfig =
      parts.box->addButton(QObject::tr("Export Config…"), QDialogButtonBox::ActionRole);
  parts.exportConfig->setObjectName(QStringLiteral("exportTraining"));
  parts.exportConfig->setIcon(lineIcon(QStringLiteral("export")));
  parts.exportConfig->setToolTip(
      QObject::tr("Save these settings, model and masks for headlight-cli train"));
  return parts;
}

}  // namespace headlight
