// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/training/TrainingDock.h"

#include <QAction>
#include <QFileInfo>
#include <QLabel>
#include <QProgressBar>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

#include "core/models/Registry.h"
#include "core/workbench/session/MapRendering.h"
#include "ui/base/CoreText.h"
#include "ui/base/Icons.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/EvolutionBridge.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/bridge/TrainingBridge.h"
#include "ui/document/Document.h"
#include "ui/plots/EditMarks.h"
#include "ui/plots/LocalityPlot.h"
#include "ui/plots/LossPlot.h"
#include "ui/plots/PlotCommands.h"
#include "ui/plots/ReadingsPlot.h"
#include "ui/training/EvolutionBar.h"
#include "ui/training/FollowedLine.h"
#include "ui/training/RunEdits.h"
#include "ui/training/TrainingFollower.h"
#include "ui/training/TrainingOutcomeBar.h"
#include "ui/training/TrainingPlots.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/ProgressLine.h"

namespace headlight {
namespace {

constexpr int kRedrawMs = 34;  ///< at most 30 times a second

/// The ALS of a uniform map applies only to maps whose rows sum to 1.
bool sumsToOne(const std::string& mechanism, const Document& document) {
  if (mechanism == ModelConfig().mechanism) return true;
  return document.inputs().hasModel() &&
         document.inputs().model().experiment.model.mechanism == mechanism &&
         document.inputs().model().mapRowsSumToOne;
}

/// The ALS of uniform attention. Models with stages have several grids, so no single value.
std::optional<double> chanceOf(const std::optional<Experiment>& run, const Document& document) {
  if (!run || run->model.staged() || !sumsToOne(run->model.mechanism, document))
    return std::nullopt;
  Grid grid = run->model.grid();
  if (run->model.classDepth > 0) grid.prefix = 0;  // the class token joins after these layers
  return uniformLocality(grid);
}

QString percentText(double share) {
  return QStringLiteral("%1 %").arg(100 * share, 0, 'f', 1);
}

/// "Validation top-1: 11.1 % before → 52.0 % last; best 54.0 %."
QString accuracyText(const TrainingOutcome& outcome) {
  if (!outcome.lastScore) {
    if (outcome.best.empty()) return {};
    return TrainingDock::tr(" Best validation %1: %2.")
        .arg(coreText(outcome.scoreName), percentText(outcome.bestScore));
  }
  const QString last = percentText(*outcome.lastScore);
  const QString after =
      *outcome.lastScore >= outcome.bestScore
          ? TrainingDock::tr("%1 last, the best of this run").arg(last)
          : TrainingDock::tr("%1 last; best %2").arg(last, percentText(outcome.bestScore));
  if (!outcome.startScore)
    return TrainingDock::tr(" Validation %1: %2.").arg(coreText(outcome.scoreName), after);
  return TrainingDock::tr(" Validation %1: %2 before → %3.")
      .arg(coreText(outcome.scoreName), percentText(*outcome.startScore), after);
}

/// Accuracy of guessing, in percent.
std::optional<double> chanceAccuracy(const std::optional<Experiment>& run) {
  if (!run || run->model.classes < 1) return std::nullopt;
  return 100.0 / static_cast<double>(run->model.classes);
}

}  // namespace

TrainingDock::TrainingDock(Document* document, TrainingBridge* bridge, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_bridge(bridge),
      m_actions(makeTrainingActions(this)),
      m_controls(makeTrainingControls(m_actions, this)),
      m_images(new EvolutionBridge(document, this)),
      m_edits(new RunEdits(document, bridge, this)) {
  setObjectName(QStringLiteral("trainingDock"));
  setAccessibleName(tr("Training"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 4, 8, 4);
  layout->setSpacing(4);
  layout->addWidget(m_controls.row);
  auto* followed = new FollowedLine(m_actions.stopFollowing, this);
  m_follower = new TrainingFollower(followed, m_actions, this);
  layout->addWidget(followed);
  m_outcomeBar = new TrainingOutcomeBar(this);
  makePlots();
  auto* content = new QVBoxLayout;
  content->setSpacing(0);  // a hidden outcome bar adds no space
  content->addWidget(m_outcomeBar);
  content->addWidget(m_plots, 1);
  layout->addLayout(content, 1);
  m_options = makeTrainingOptions(m_actions, this);
  m_shownWeights = m_options->findChild<QLabel*>(QStringLiteral("trainShown"));
  layout->addWidget(m_options);

  m_redrawTimer.setSingleShot(true);
  m_redrawTimer.setInterval(kRedrawMs);
  connect(&m_redrawTimer, &QTimer::timeout, this, &TrainingDock::redraw);

  connectActions();
  connectSources();
  onStateChanged();
}

void TrainingDock::connectActions() {
  connect(m_controls.warnings, &QToolButton::clicked, this,
          [this] { dialogs().show(m_warnings.makeDialog(window()), {}); });
  connect(m_actions.start, &QAction::triggered, this, &TrainingDock::startRequested);
  connect(m_actions.resume, &QAction::triggered, this, &TrainingDock::resumeRequested);
  connect(m_actions.follow, &QAction::triggered, this, &TrainingDock::followRequested);
  connect(m_actions.pause, &QAction::triggered, this, [this] {
    if (m_bridge->isPaused())
      m_bridge->unpause();
    else
      m_bridge->pause();
  });
  connect(m_actions.stop, &QAction::triggered, m_bridge, &TrainingBridge::stop);
  connect(m_actions.followEdits, &QAction::toggled, m_edits, &RunEdits::setFollowing);
  connect(m_edits, &RunEdits::undecided, this, &TrainingDock::editsUndecided);
  connect(m_actions.lookThrough, &QAction::toggled, m_bridge, &TrainingBridge::setSnapshotsWanted);
  connect(m_bridge, &TrainingBridge::snapshotsWantedChanged, m_actions.lookThrough,
          &QAction::setChecked);
  connect(m_actions.learningRate, &QAction::toggled, m_loss, &LossPlot::setLearningRateVisible);
  connect(m_outcomeBar, &TrainingOutcomeBar::openCheckpoint, this, [this] {
    if (!m_outcome) return;
    const auto& path = m_outcome->best.empty() ? m_outcome->last : m_outcome->best;
    Q_EMIT openCheckpointRequested(QString::fromStdString(path.string()));
  });
  connect(m_outcomeBar, &TrainingOutcomeBar::openLast, this, [this] {
    if (m_outcome) Q_EMIT openCheckpointRequested(QString::fromStdString(m_outcome->last.string()));
  });
  connect(m_outcomeBar, &TrainingOutcomeBar::compare, this, [this] {
    const QString start = startWeights();
    if (!m_outcome || start.isEmpty()) return;
    const auto& path = m_outcome->best.empty() ? m_outcome->last : m_outcome->best;
    Q_EMIT compareRequested(start, QString::fromStdString(path.string()));
  });
  connect(m_actions.openBest, &QAction::triggered, m_outcomeBar,
          &TrainingOutcomeBar::openCheckpoint);
  connect(m_actions.compareStart, &QAction::triggered, m_outcomeBar, &TrainingOutcomeBar::compare);
  connect(m_outcomeBar, &TrainingOutcomeBar::resume, this,
          [this] { m_bridge->resume(m_bridge->folder()); });
  connect(m_outcomeBar, &TrainingOutcomeBar::saveWeights, this,
          &TrainingDock::saveWeightsRequested);
  connect(m_outcomeBar, &TrainingOutcomeBar::recreateFolder, m_bridge,
          &TrainingBridge::recreateFolder);
  connect(m_bridge, &TrainingBridge::folderRecreated, this, &TrainingDock::onFolderRecreated);
  connect(m_outcomeBar, &TrainingOutcomeBar::openFolder, this,
          [this] { Q_EMIT openFolderRequested(m_bridge->folder()); });
  connect(m_outcomeBar, &TrainingOutcomeBar::exportConfig, this, [this] {
    if (const auto exported = m_bridge->exported()) Q_EMIT exportRequested(*exported);
  });
}

void TrainingDock::makePlots() {
  m_plots = new TrainingPlots(m_actions.start, this);
  QSplitter* plots = m_plots->splitter();
  m_loss = new LossPlot(plots);
  auto* right = new QWidget(plots);
  m_locality = new LocalityPlot(right);
  m_evolution = new EvolutionBar(&m_locality->history(), right);
  m_evolution->setImages(m_images);
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
  m_plotCommands = new PlotCommands(m_plots);
  connect(m_plotCommands, &PlotCommands::reported, m_document, &Document::message);
  connect(m_plotCommands, &PlotCommands::failed, m_document, &Document::failed);
}

void TrainingDock::connectSources() {
  connect(&m_document->inputs(), &InferenceInputs::modelChanged, this, [this] {
    m_evolution->goLive();  // show the new model
    refreshControls();
  });
  connect(m_document, &Document::sourceNoteChanged, this, &TrainingDock::refreshShown);
  connect(&m_document->recorded(), &RecordedStep::changed, this, &TrainingDock::refreshShown);
  connect(&m_document->inputs(), &InferenceInputs::modelChanged, this, &TrainingDock::refreshShown);
  connect(m_document, &Document::inferenceChanged, this, &TrainingDock::refreshShown);
  // Likewise for an opened image and for mask edits.
  const auto showPresent = [this] {
    if (m_document->recorded().view() || m_images->isBusy()) m_evolution->goLive();
  };
  connect(&m_document->inputs(), &InferenceInputs::imageChanged, this, showPresent);
  connect(&m_document->inputs(), &InferenceInputs::editApplied, this, showPresent);
  connect(m_bridge, &TrainingBridge::stateChanged, this, &TrainingDock::onStateChanged);
  connect(m_bridge, &TrainingBridge::recorded, this, &TrainingDock::onRecorded);
  connect(m_bridge, &TrainingBridge::wentOn, this,
          [this](const std::shared_ptr<const RunHistory>& history) { onWentOn(*history); });
  connect(m_bridge, &TrainingBridge::updated, this, &TrainingDock::onUpdated);
  connect(m_bridge, &TrainingBridge::finished, this, &TrainingDock::onFinished);
  connect(m_follower, &TrainingFollower::grew, this, &TrainingDock::onGrew);
  connect(m_follower, &TrainingFollower::left, this, &TrainingDock::onLeft);
  connect(m_follower, &TrainingFollower::openCheckpointRequested, this,
          &TrainingDock::openCheckpointRequested);
}

QList<QAction*> TrainingDock::commands() const {
  return m_actions.all() + m_evolution->commands() + m_plotCommands->commands();
}

// --- The run -----------------------------------------------------------------------------------

void TrainingDock::onStateChanged() {
  if (m_bridge->isRunning() && !m_active) begin();
  refreshControls();
  refreshStatus();
  refreshPlots();
}

void TrainingDock::begin() {
  m_active = true;
  m_edits->begin();
  m_recorded.reset();
  clear();
}

void TrainingDock::clear() {
  m_seen = true;
  m_left = false;
  m_runState = TrainingState::Preparing;
  m_runProgress = {};
  m_epoch = m_epochs = 0;
  m_imagesPerSecond = 0;
  m_message.clear();
  m_warnings.clear();
  m_outcome.reset();
  m_outcomeBar->hide();
  m_loss->clear();
  m_locality->clear();
  m_readings->clear();
  m_readings->hide();
  m_evolution->historyChanged();
  m_images->setRun(m_follower->isFollowing() ? m_follower->folder() : m_bridge->folder());
}

/// A mark at its step in every plot.
void TrainingDock::addEdit(const AppliedEdit& edit) {
  const auto step = static_cast<double>(edit.step);
  const QString text = displayName(edit.edit.label);
  for (EditMarks* marks : {m_loss->edits(), m_locality->edits(), m_readings->edits()})
    marks->add(step, text);
}

void TrainingDock::onWentOn(const RunHistory& history) {
  if (history.start) m_loss->addStart(*history.start);
  for (const StepPoint& point : history.steps)
    m_loss->addStep(point);
  for (const EpochPoint& point : history.epochPoints)
    m_loss->addEpoch(point);
  for (const HeadPoint& point : history.heads)
    m_locality->add(point);
  for (const AppliedEdit& edit : history.edits)
    addEdit(edit);
  requestRedraw();
}

void TrainingDock::setFollower(FollowBridge* follower) {
  m_follower->setBridge(follower);
  refreshControls();
}

void TrainingDock::onGrew(const RunGrowth& growth) {
  if (growth.anew) clear();
  if (growth.experiment) m_recorded = *growth.experiment;
  onWentOn(growth.points);
  showFollowedMasks();
  refreshControls();
}

/// The curves stay until another run is shown.
void TrainingDock::onLeft(const QString& folder) {
  if (!m_active) {
    m_left = true;
    TrainingOutcomeBar::Offers none;
    m_outcomeBar->notify(tr("“%1” is no longer followed. Its last known curves stay visible.")
                             .arg(displayName(QFileInfo(folder).fileName())),
                         false, none);
  }
  refreshControls();
  redraw();
}

/// The masks at the step of the evolution: the newest or an earlier one.
void TrainingDock::showFollowedMasks() {
  const auto& point = m_evolution->shown();
  m_follower->showMasks(point ? std::optional(point->step) : std::nullopt);
}

/// Shows an earlier run as if it had just ended.
void TrainingDock::onRecorded(const std::shared_ptr<const RecordedRun>& run) {
  if (m_active || m_follower->isFollowing()) return;
  clear();
  m_recorded = run->experiment;
  onWentOn(run->history);
  TrainingOutcome outcome;
  outcome.state = m_runState = run->finished ? TrainingState::Finished : TrainingState::Stopped;
  outcome.steps = run->history.steps.empty() ? 0 : run->history.steps.back().step;
  for (const EpochPoint& point : run->history.epochPoints)
    outcome.bestScore = std::max(outcome.bestScore, point.quality());
  if (run->history.start) outcome.startScore = run->history.start->quality();
  if (!run->history.epochPoints.empty()) {
    outcome.scoreName = run->history.epochPoints.back().qualityName();
    outcome.lastScore = run->history.epochPoints.back().quality();
  }
  outcome.last = run->last;
  outcome.best = run->best;
  m_runProgress.total = run->experiment.training.epochs;
  m_runProgress.done = run->history.epochPoints.empty() ? 0 : run->history.epochPoints.back().epoch;
  m_outcome = outcome;
  QString text = run->finished ? tr("The last run, “%1”, finished after %2 steps.")
                               : tr("The last run, “%1”, was trained for %2 steps so far.");
  text = text.arg(displayName(run->experiment.name)).arg(outcome.steps);
  showOutcome(text + accuracyText(outcome), false);
  refreshControls();
  redraw();
}

void TrainingDock::onUpdated(const std::shared_ptr<const TrainingUpdate>& update) {
  if (!update) return;
  if (!m_active) begin();
  m_runState = update->state;
  m_message = displayName(update->message);
  m_runProgress = update->progress;
  m_epoch = update->epoch;
  m_epochs = update->epochs;
  if (update->start) m_loss->addStart(*update->start);
  for (const StepPoint& point : update->steps)
    m_loss->addStep(point);
  if (!update->steps.empty()) m_imagesPerSecond = update->steps.back().imagesPerSecond;
  for (const EpochPoint& point : update->epochPoints)
    m_loss->addEpoch(point);
  for (const HeadPoint& point : update->heads)
    m_locality->add(point);
  if (!update->maskFits.empty()) m_readings->setMaskFits(update->maskFits);
  for (const AppliedEdit& edit : update->edits) {
    addEdit(edit);
    Q_EMIT m_document->message(
        tr("Training, step %1: %2").arg(edit.step).arg(displayName(edit.edit.label)));
  }
  m_warnings.add(update->warnings);
  if (m_edits->runIsThere()) refreshControls();
  requestRedraw();
}

void TrainingDock::onFinished(const std::shared_ptr<const TrainingOutcome>& outcome,
                              const QString& error) {
  m_active = false;
  m_edits->end();
  if (outcome) {
    m_outcome = *outcome;
    if (outcome->state == TrainingState::Finished) m_runProgress.done = m_runProgress.total;
    m_runState = outcome->state;
    const bool stopped = outcome->state == TrainingState::Stopped;
    QString text = stopped ? tr("Stopped after %1 steps, with a checkpoint to resume from.")
                           : tr("Finished after %1 steps.");
    text = text.arg(outcome->steps);
    text += accuracyText(*outcome);
    showOutcome(text, false);
    Q_EMIT m_document->message(text);  // Help → Messages keeps it
  } else {
    m_outcome.reset();
    m_runState = TrainingState::Failed;
    const bool rescue = m_bridge->folderIsGone() && m_bridge->hasNewestWeights();
    showOutcome(rescue ? error + tr(" Its weights are still in memory. Save them, or create the "
                                    "folder again to resume the run.")
                       : error,
                true);
  }
  refreshControls();
  redraw();
}

/// The file that the run started from; empty: random weights.
QString TrainingDock::startWeights() const {
  const auto run = m_recorded ? m_recorded : m_bridge->experiment();
  return run ? QString::fromStdString(run->training.weights) : QString();
}

void TrainingDock::showOutcome(const QString& text, bool problem) {
  TrainingOutcomeBar::Offers offers;
  offers.checkpoint = m_outcome && !(m_outcome->best.empty() && m_outcome->last.empty());
  offers.last = offers.checkpoint && !m_outcome->last.empty() && !m_outcome->best.empty() &&
                m_outcome->lastScore && *m_outcome->lastScore < m_outcome->bestScore;
  offers.compare = offers.checkpoint && !startWeights().isEmpty();
  const bool failed = m_runState == TrainingState::Failed, gone = m_bridge->folderIsGone();
  offers.folder = !m_bridge->folder().isEmpty() && !gone;
  offers.resume = m_runState == TrainingState::Stopped && offers.folder &&
                  (!m_outcome || !m_outcome->last.empty());
  offers.weights = failed && m_bridge->hasNewestWeights();
  offers.recreate = failed && gone && m_bridge->hasNewestWeights();
  offers.config = m_bridge->exported().has_value();
  m_outcomeBar->notify(text, problem, offers);
  refreshOutcomeCommands();
}

void TrainingDock::refreshOutcomeCommands() {
  const bool ended =
      m_outcome && !m_active && !(m_outcome->best.empty() && m_outcome->last.empty());
  m_actions.openBest->setEnabled(ended);
  m_actions.compareStart->setEnabled(ended && !startWeights().isEmpty());
}

void TrainingDock::onFolderRecreated(const QString& error) {
  if (m_active) return;
  if (!error.isEmpty()) return showOutcome(error, true);
  m_runState = TrainingState::Stopped;
  showOutcome(tr("The folder was created again, with a checkpoint of the last step."), false);
  refreshStatus();
}

// --- Display -----------------------------------------------------------------------------------

void TrainingDock::refreshControls() {
  const bool stopping = m_bridge->isStopping();
  m_actions.start->setEnabled(m_document->inputs().canCompute() && !m_active);
  m_actions.start->setToolTip(m_document->inputs().canCompute()
                                  ? m_actions.start->statusTip()
                                  : m_document->inputs().whyNotComputed());
  m_actions.pause->setEnabled(m_active && !stopping);
  m_actions.pause->setText(m_bridge->isPaused() ? tr("Continue") : tr("Pause"));
  m_actions.pause->setIcon(
      lineIcon(m_bridge->isPaused() ? QStringLiteral("play") : QStringLiteral("pause")));
  m_actions.stop->setEnabled(m_active && !stopping);
  m_actions.resume->setEnabled(!m_bridge->isRunning());
  refreshOutcomeCommands();
  const bool fits = m_edits->runHasDocumentsHeads();
  const QString refused = m_edits->whyNotSent();
  m_actions.followEdits->setEnabled(!m_active || (fits && refused.isEmpty()));
  m_actions.followEdits->setToolTip(
      !fits               ? tr("The run trains a model of a different shape than the open model")
      : refused.isEmpty() ? m_actions.followEdits->statusTip()
                          : refused);
  const auto run = m_bridge->experiment();
  const bool sameModel =
      run && m_document->inputs().hasModel() &&
      ModelWorker::canLookThrough(run->model, m_document->inputs().model().experiment.model);
  m_actions.lookThrough->setEnabled(sameModel);
  m_follower->refreshActions(run.has_value(), m_document->inputs().hasModel()
                                                  ? &m_document->inputs().model().experiment.model
                                                  : nullptr);
}

QString TrainingDock::stateText() const {
  if (!m_seen) return tr("No training yet");
  if (m_left) return tr("No longer followed");
  const QString stage = QString::fromStdString(m_runProgress.stage);
  const auto with = [](const QString& state, const QString& more) {
    return more.isEmpty() ? state : state + QStringLiteral(" · ") + more;
  };
  if (m_active && m_bridge->isStopping()) return tr("Stopping…");
  if (m_active && m_bridge->isPaused()) return with(tr("Paused"), stage);
  switch (m_runState) {
    case TrainingState::Preparing:
      return with(tr("Preparing"), m_message);
    case TrainingState::Running:
      return with(tr("Training"), stage);
    case TrainingState::Paused:
      return with(tr("Paused"), stage);
    case TrainingState::Validating:
      return with(tr("Validating"), stage);
    case TrainingState::Finished:
      return tr("Finished");
    case TrainingState::Stopped:
      return tr("Stopped");
    case TrainingState::Failed:
      return tr("Failed");
  }
  return {};
}

void TrainingDock::keepEditsInWindow() {
  m_edits->keepInWindow();
}

/// Names the weights of the image shown, as in its caption.
void TrainingDock::refreshShown() {
  const QString note = m_document->sourceNote();
  const QString weights = note.isEmpty() ? m_document->modelTitle() : note;
  m_shownWeights->setText(weights.isEmpty() ? QString() : tr("Image: %1").arg(weights));
  m_shownWeights->setToolTip(m_shownWeights->text());
  m_shownWeights->setVisible(!m_shownWeights->text().isEmpty());
}

/// Hides plots without curves, and the progress if there is no run.
void TrainingDock::refreshPlots() {
  m_controls.row->setVisible(m_seen && !m_follower->isFollowing());
  m_options->setVisible(m_seen);
  if (!m_loss->isEmpty() || !m_locality->history().isEmpty() || !m_readings->isEmpty())
    m_plots->showPlots();
  else if (m_active || m_follower->isFollowing())
    m_plots->showSentence(tr("The curves begin with the first step."), false);
  else
    m_plots->showSentence(
        tr("Train a copy of the model on your own images, and watch its attention heads change."),
        true);
}

void TrainingDock::refreshStatus() {
  m_controls.state->setText(stateText());
  const auto total = m_runProgress.total;
  m_controls.progress->setValue(
      total > 0
          ? static_cast<int>(static_cast<double>(TrainingControlRow::kProgressSteps) *
                             static_cast<double>(m_runProgress.done) / static_cast<double>(total))
          : 0);
  QStringList numbers;
  const QString remaining = remainingText(m_runProgress.secondsRemaining);
  if (m_active && !remaining.isEmpty()) numbers << remaining;
  if (m_imagesPerSecond > 0)
    numbers << tr("%1 images/s").arg(m_imagesPerSecond, 0, 'f', m_imagesPerSecond < 10 ? 1 : 0);
  m_controls.numbers->setText(numbers.join(QStringLiteral(" · ")));
  const auto warnings = m_warnings.count();
  m_controls.warnings->setVisible(warnings > 0);
  m_controls.warnings->setText(warnings == 1 ? tr("1 warning") : tr("%1 warnings").arg(warnings));
}

void TrainingDock::showRecorded() {
  const auto& point = m_evolution->shown();
  m_loss->setShownStep(point ? std::optional(point->step) : std::nullopt);
  m_locality->setShown(point);
  m_readings->setShownStep(point ? std::optional(point->step) : std::nullopt);
  m_document->recorded().setPoint(point);
  m_images->show(point ? std::optional(point->step) : std::nullopt);
  showFollowedMasks();
}

void TrainingDock::requestRedraw() {
  if (!m_redrawTimer.isActive()) m_redrawTimer.start();
}

void TrainingDock::redraw() {
  refreshStatus();
  const bool goesOn = m_active || m_follower->isFollowing();
  m_evolution->setRun(goesOn, m_outcome ? m_outcome->steps : m_runProgress.done);
  m_evolution->historyChanged();
  refreshPlots();
  const auto run = m_recorded ? m_recorded : m_bridge->experiment();
  m_locality->setUniform(chanceOf(run, *m_document));
  if (run) m_loss->setTask(taskOf(run->model));
  m_loss->setChance(chanceAccuracy(run));
  if (!isVisible()) return;  // showEvent catches up
  m_loss->replot();
  m_locality->replot();
  const bool readings = !m_readings->isEmpty();
  m_readings->setVisible(readings);
  if (readings) m_readings->replot();
}

void TrainingDock::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  requestRedraw();
}

}  // namespace headlight
