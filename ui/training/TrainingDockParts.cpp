// TrainingDock: its commands, and the rows they stand in.

#include <QAction>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/base/Actions.h"
#include "ui/base/Dialogs.h"
#include "ui/base/Icons.h"
#include "ui/bridge/TrainingBridge.h"
#include "ui/plots/LocalityPlot.h"
#include "ui/plots/LossPlot.h"
#include "ui/plots/ReadingsPlot.h"
#include "ui/training/EvolutionBar.h"
#include "ui/training/TrainingDock.h"

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

void TrainingDock::makeActions() {
  m_start = makeCommand(
      this, {"train.start", tr("Train…"),
             tr("Choose data and settings, and train a copy of the model"), "Ctrl+T", "play"});
  m_pause =
      makeCommand(this, {"train.pause", tr("Pause"), tr("Wait at the next step; go on at will"),
                         "Ctrl+Shift+T", "pause"});
  m_stop = makeCommand(this, {"train.stop", tr("Stop"),
                              tr("End at the next step, with a checkpoint that can be resumed"),
                              "Ctrl+Alt+T", "stop"});
  m_resume = makeCommand(this, {"train.resume",
                                tr("&Resume a run…"),
                                tr("Go on with a training run from its last checkpoint, exactly as "
                                   "if it had never stopped"),
                                "Ctrl+R",
                                {}});
  m_followEdits =
      makeCommand(this, {"train.followEdits",
                         tr("Apply mask edits to the running training"),
                         tr("The run's masks follow the window's; each edit is logged with the "
                            "step at which it took effect"),
                         "Ctrl+Alt+E",
                         {}});
  m_lookThrough =
      makeCommand(this, {"train.lookThrough",
                         tr("Look through the training weights"),
                         tr("Maps and predictions come from the weights as they are being "
                            "trained, about once a second"),
                         "Ctrl+Alt+W",
                         {}});
  m_learningRate = makeCommand(this, {"train.showLearningRate",
                                      tr("Show learning rate"),
                                      tr("Draws the learning rate beside the loss"),
                                      "Ctrl+Alt+R",
                                      {}});
  for (QAction* action : {m_start, m_pause, m_stop, m_followEdits, m_lookThrough, m_learningRate})
    action->setStatusTip(action->toolTip());
  for (QAction* action : {m_followEdits, m_lookThrough, m_learningRate})
    action->setCheckable(true);
}

QList<QAction*> TrainingDock::commands() const {
  return QList<QAction*>{m_start,       m_pause,       m_stop,        m_resume,
                         m_followEdits, m_lookThrough, m_learningRate} +
         m_evolution->commands();
}

QWidget* TrainingDock::makeControlRow() {
  auto* row = new QWidget(this);
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  for (QAction* action : {m_start, m_pause, m_stop}) {
    auto* button = new QToolButton(row);
    button->setDefaultAction(action);
    button->setObjectName(action->objectName() + QStringLiteral(".button"));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::StrongFocus);
    layout->addWidget(button);
  }
  layout->addSpacing(8);
  m_state = new QLabel(row);
  m_state->setObjectName(QStringLiteral("trainState"));
  m_state->setTextFormat(Qt::PlainText);
  layout->addWidget(m_state);
  m_progress = new QProgressBar(row);
  m_progress->setObjectName(QStringLiteral("trainProgress"));
  m_progress->setAccessibleName(tr("Progress of the training"));
  m_progress->setRange(0, kProgressSteps);
  m_progress->setTextVisible(false);
  m_progress->setMaximumHeight(10);
  m_progress->setMinimumWidth(80);
  layout->addWidget(m_progress, 1);
  m_numbers = new QLabel(row);
  m_numbers->setObjectName(QStringLiteral("trainNumbers"));
  layout->addWidget(m_numbers);
  m_warningButton = new QToolButton(row);
  m_warningButton->setObjectName(QStringLiteral("trainWarnings"));
  m_warningButton->setIcon(lineIcon(QStringLiteral("warning")));
  m_warningButton->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  m_warningButton->setAutoRaise(true);
  m_warningButton->setToolTip(tr("Files that were skipped and other warnings of the run"));
  m_warningButton->setFocusPolicy(Qt::StrongFocus);
  connect(m_warningButton, &QToolButton::clicked, this,
          [this] { dialogs().show(m_warnings.makeDialog(window()), {}); });
  layout->addWidget(m_warningButton);
  return row;
}

QWidget* TrainingDock::makePlots() {
  auto* plots = new QSplitter(this);
  plots->setChildrenCollapsible(false);
  m_loss = new LossPlot(plots);
  auto* right = new QWidget(plots);
  m_locality = new LocalityPlot(right);
  m_evolution = new EvolutionBar(&m_locality->history(), right);
  connect(m_evolution, &EvolutionBar::shownChanged, this, &TrainingDock::showRecorded);
  auto* column = new QVBoxLayout(right);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  column->addWidget(m_locality, 1);
  column->addWidget(m_evolution);
  m_readings = new ReadingsPlot(&m_locality->history(), plots);
  m_readings->hide();
  plots->setStretchFactor(0, 3);
  plots->setStretchFactor(1, 2);
  plots->setStretchFactor(2, 2);
  return plots;
}

QWidget* TrainingDock::makeOptionRow() {
  auto* row = new QWidget(this);
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(16);
  for (QAction* action : {m_followEdits, m_lookThrough, m_learningRate})
    layout->addWidget(checkBoxFor(action, row));
  layout->addStretch(1);
  return row;
}

}  // namespace headlight
