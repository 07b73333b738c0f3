// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/training/TrainingControls.h"

#include <QAction>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/base/Actions.h"
#include "ui/base/Icons.h"

namespace headlight {
namespace {

QString dockText(const char* text) {
  return QCoreApplication::translate("TrainingDock", text);
}

/// A check box that shows and toggles an action.
QCheckBox* checkBoxFor(QAction* action, QWidget* parent) {
  auto* box = new QCheckBox(action->text(), parent);
  box->setObjectName(action->objectName() + QStringLiteral(".box"));
  const auto follow = [box, action] {
    box->setEnabled(action->isEnabled());
    box->setChecked(action->isChecked());
    box->setToolTip(action->toolTip());
  };
  QObject::connect(action, &QAction::changed, box, follow);
  QObject::connect(action, &QAction::toggled, box, &QCheckBox::setChecked);
  QObject::connect(box, &QCheckBox::toggled, action, &QAction::setChecked);
  follow();
  return box;
}

}  // namespace

TrainingActions makeTrainingActions(QWidget* owner) {
  TrainingActions actions;
  actions.start =
      makeCommand(owner, {"train.start", dockText("Train…"),
                          dockText("Choose data and settings, and train a copy of the model"),
                          "Ctrl+T", "play"});
  actions.pause = makeCommand(
      owner, {"train.pause", dockText("Pause"), dockText("Wait at the next step; go on at will"),
              "Ctrl+Shift+T", "pause"});
  actions.stop =
      makeCommand(owner, {"train.stop", dockText("Stop"),
                          dockText("End at the next step, with a checkpoint that can be resumed"),
                          "Ctrl+Alt+T", "stop"});
  actions.resume =
      makeCommand(owner, {"train.resume",
                          dockText("&Resume a run…"),
                          dockText("Go on with a training run from its last checkpoint, exactly as "
                                   "if it had never stopped"),
                          "Ctrl+R",
                          {}});
  actions.follow = makeCommand(
      owner, {"train.follow",
              dockText("&Follow a run…"),
              dockText("Watch a run that another program or machine trains, by its folder; nothing "
                       "in it is changed"),
              "Ctrl+Alt+F",
              {}});
  actions.stopFollowing =
      makeCommand(owner, {"train.stopFollowing",
                          dockText("Stop following"),
                          dockText("Leave the run that is followed, which goes on as it does"),
                          "Ctrl+Alt+G",
                          {}});
  actions.followEdits = makeCommand(
      owner, {"train.followEdits",
              dockText("Apply mask edits to the running training"),
              dockText("The run's masks follow the window's; each edit is logged with the "
                       "step at which it took effect"),
              "Ctrl+Alt+E",
              {}});
  actions.lookThrough =
      makeCommand(owner, {"train.lookThrough",
                          dockText("Look through the training weights"),
                          dockText("Maps and predictions come from the weights as they are being "
                                   "trained, about once a second; of a run that is followed from "
                                   "each checkpoint"),
                          "Ctrl+Alt+W",
                          {}});
  actions.learningRate = makeCommand(owner, {"train.showLearningRate",
                                             dockText("Show learning rate"),
                                             dockText("Draws the learning rate beside the loss"),
                                             "Ctrl+Alt+R",
                                             {}});
  for (QAction* action : {actions.start, actions.pause, actions.stop, actions.followEdits,
                          actions.lookThrough, actions.learningRate})
    action->setStatusTip(action->toolTip());
  for (QAction* action : {actions.followEdits, actions.lookThrough, actions.learningRate})
    action->setCheckable(true);
  return actions;
}

TrainingControlRow makeTrainingControls(const TrainingActions& actions, QWidget* parent) {
  TrainingControlRow parts;
  auto* row = parts.row = new QWidget(parent);
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  for (QAction* action : {actions.start, actions.pause, actions.stop}) {
    auto* button = new QToolButton(row);
    button->setDefaultAction(action);
    button->setObjectName(action->objectName() + QStringLiteral(".button"));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::StrongFocus);
    layout->addWidget(button);
  }
  layout->addSpacing(8);
  parts.state = new QLabel(row);
  parts.state->setObjectName(QStringLiteral("trainState"));
  parts.state->setTextFormat(Qt::PlainText);
  layout->addWidget(parts.state);
  parts.progress = new QProgressBar(row);
  parts.progress->setObjectName(QStringLiteral("trainProgress"));
  parts.progress->setAccessibleName(dockText("Progress of the training"));
  parts.progress->setRange(0, TrainingControlRow::kProgressSteps);
  parts.progress->setTextVisible(false);
  parts.progress->setMaximumHeight(10);
  parts.progress->setMinimumWidth(80);
  layout->addWidget(parts.progress, 1);
  parts.numbers = new QLabel(row);
  parts.numbers->setObjectName(QStringLiteral("trainNumbers"));
  layout->addWidget(parts.numbers);
  parts.warnings = new QToolButton(row);
  parts.warnings->setObjectName(QStringLiteral("trainWarnings"));
  parts.warnings->setIcon(lineIcon(QStringLiteral("warning")));
  parts.warnings->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  parts.warnings->setAutoRaise(true);
  parts.warnings->setToolTip(dockText("Files that were skipped and other warnings of the run"));
  parts.warnings->setFocusPolicy(Qt::StrongFocus);
  layout->addWidget(parts.warnings);
  return parts;
}

QWidget* makeTrainingOptions(const TrainingActions& actions, QWidget* parent) {
  auto* options = new QWidget(parent);
  auto* rows = new QVBoxLayout(options);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(2);
  auto* boxes = new QHBoxLayout;
  boxes->setSpacing(16);
  for (QAction* action : {actions.followEdits, actions.lookThrough, actions.learningRate})
    boxes->addWidget(checkBoxFor(action, options));
  boxes->addStretch(1);
  rows->addLayout(boxes);
  // A row of its own: names of runs are long.
  auto* shown = new QLabel(options);
  shown->setObjectName(QStringLiteral("trainShown"));
  shown->setTextFormat(Qt::PlainText);
  shown->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  shown->hide();
  rows->addWidget(shown);
  return options;
}

}  // namespace headlight
