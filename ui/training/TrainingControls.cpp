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
#include "ui/widgets/ElidedLabel.h"

namespace headlight {
namespace {

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
      makeCommand(owner, {"train.start", QObject::tr("Train…"),
                          QObject::tr("Choose data and settings, and train a copy of the model"),
                          "Ctrl+T", "play"});
  actions.pause =
      makeCommand(owner, {"train.pause", QObject::tr("Pause"),
                          QObject::tr("Pause at the next step; press again to continue"),
                          "Ctrl+Shift+T", "pause"});
  actions.stop = makeCommand(
      owner, {"train.stop", QObject::tr("Stop"),
              QObject::tr("Stop at the next step and write a checkpoint to resume from"),
              "Ctrl+Alt+T", "stop"});
  actions.resume = makeCommand(
      owner,
      {"train.resume",
       QObject::tr("&Resume a run…"),
       QObject::tr(
           "Continue a run from its last checkpoint, with the same result as without interruption"),
       "Ctrl+R",
       {}});
  actions.openBest =
      makeCommand(owner, {"train.openBest",
                          QObject::tr("Open the run's best weights"),
                          QObject::tr("Open the best checkpoint of the run that has ended"),
                          "Ctrl+H, B",
                          {}});
  actions.compareStart = makeCommand(
      owner, {"train.compareStart",
              QObject::tr("Compare with the run's start"),
              QObject::tr("Show the trained model beside the weights that the run started from"),
              "Ctrl+H, C",
              {}});
  actions.follow = makeCommand(
      owner,
      {"train.follow",
       QObject::tr("&Follow a run…"),
       QObject::tr("Show a run that another program or machine trains. Its folder is only read"),
       "Ctrl+Alt+F",
       {}});
  actions.stopFollowing =
      makeCommand(owner, {"train.stopFollowing",
                          QObject::tr("Stop following"),
                          QObject::tr("Stop showing the followed run; the run itself continues"),
                          "Ctrl+Alt+G",
                          {}});
  actions.followEdits = makeCommand(
      owner, {"train.followEdits",
              QObject::tr("Apply mask edits to the running training"),
              QObject::tr("Apply the window's mask edits to the run; each is logged with "
                          "the step at which it takes effect"),
              "Ctrl+Alt+E",
              {}});
  actions.lookThrough = makeCommand(
      owner, {"train.lookThrough",
              QObject::tr("Show the training weights"),
              QObject::tr("Compute maps and predictions with the weights in training, "
                          "about once a second; for a followed run, with each checkpoint"),
              "Ctrl+Alt+W",
              {}});
  actions.learningRate = makeCommand(owner, {"train.showLearningRate",
                                             QObject::tr("Show learning rate"),
                                             QObject::tr("Plot the learning rate beside the loss"),
                                             "Ctrl+Alt+R",
                                             {}});
  for (QAction* action : {actions.start, actions.pause, actions.stop, actions.followEdits,
                          actions.lookThrough, actions.learningRate})
    action->setStatusTip(action->toolTip());
  for (QAction* action : {actions.followEdits, actions.lookThrough, actions.learningRate})
    action->setCheckable(true);
  for (QAction* action : {actions.openBest, actions.compareStart})
    action->setEnabled(false);
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
  parts.state = new ElidedLabel(row);
  parts.state->setObjectName(QStringLiteral("trainState"));
  parts.state->setTextFormat(Qt::PlainText);
  layout->addWidget(parts.state);
  parts.progress = new QProgressBar(row);
  parts.progress->setObjectName(QStringLiteral("trainProgress"));
  parts.progress->setAccessibleName(QObject::tr("Progress of the training"));
  parts.progress->setRange(0, TrainingControlRow::kProgressSteps);
  parts.progress->setTextVisible(false);
  parts.progress->setMaximumHeight(10);
  parts.progress->setMinimumWidth(80);
  layout->addWidget(parts.progress, 1);
  parts.numbers = new ElidedLabel(row);
  parts.numbers->setObjectName(QStringLiteral("trainNumbers"));
  layout->addWidget(parts.numbers);
  parts.warnings = new QToolButton(row);
  parts.warnings->setObjectName(QStringLiteral("trainWarnings"));
  parts.warnings->setIcon(lineIcon(QStringLiteral("warning")));
  parts.warnings->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  parts.warnings->setAutoRaise(true);
  parts.warnings->setToolTip(QObject::tr("Skipped files and other warnings of the run"));
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
  for (QAction* action : {actions.followEdits, actions.lookThrough})
    boxes->addWidget(checkBoxFor(action, options));
  boxes->addStretch(1);
  rows->addLayout(boxes);
  // In two rows: three boxes would need more than half of a small screen, and run names are long.
  auto* more = new QHBoxLayout;
  more->setSpacing(16);
  more->addWidget(checkBoxFor(actions.learningRate, options));
  auto* shown = new ElidedLabel(options);
  shown->setObjectName(QStringLiteral("trainShown"));
  shown->setTextFormat(Qt::PlainText);
  shown->hide();
  more->addWidget(shown);
  more->addStretch(1);
  rows->addLayout(more);
  return options;
}

}  // namespace headlight
