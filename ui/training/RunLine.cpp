// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/training/RunLine.h"

#include <QFileInfo>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/base/CoreText.h"
#include "ui/base/Icons.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/FollowBridge.h"
#include "ui/bridge/TrainingBridge.h"
#include "ui/training/FollowedLine.h"
#include "ui/widgets/ProgressLine.h"

namespace headlight {
namespace {

constexpr int kLineSteps = 1000;
constexpr int kMostNameLetters = 40;

}  // namespace

RunLine::RunLine(TrainingBridge* bridge, QWidget* parent) : QToolBar(parent), m_bridge(bridge) {
  setObjectName(QStringLiteral("runLine"));
  setWindowTitle(tr("Run"));
  setAccessibleName(tr("The training run"));
  setMovable(false);
  setFloatable(false);
  setContextMenuPolicy(Qt::PreventContextMenu);
  toggleViewAction()->setVisible(false);  // it comes and goes with the run
  m_open = new QToolButton(this);
  m_open->setObjectName(QStringLiteral("runLineOpen"));
  m_open->setAutoRaise(true);
  connect(m_open, &QToolButton::clicked, this, &RunLine::opened);
  addWidget(m_open);
  m_progress = new QProgressBar(this);
  m_progress->setAccessibleName(tr("Progress of the training"));
  m_progress->setRange(0, kLineSteps);
  m_progress->setTextVisible(false);
  m_progress->setMaximumHeight(8);
  addWidget(m_progress);
  m_numbers = new QLabel(this);
  m_numbers->setObjectName(QStringLiteral("runLineNumbers"));
  m_numbers->setContentsMargins(8, 0, 8, 0);
  addWidget(m_numbers);
  addCloseButton();
  hide();
  connect(bridge, &TrainingBridge::stateChanged, this, [this] {
    if (m_bridge->isRunning()) begin();
    refresh();
  });
  connect(bridge, &TrainingBridge::updated, this,
          [this](const auto& update) { onUpdated(*update); });
  connect(bridge, &TrainingBridge::finished, this,
          [this](const auto& outcome, const QString&) { onFinished(outcome.get()); });
}

/// At the right end.
void RunLine::addCloseButton() {
  auto* space = new QWidget(this);
  space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  addWidget(space);
  auto* button = new QToolButton(this);
  button->setObjectName(QStringLiteral("runLineClose"));
  button->setIcon(lineIcon(QStringLiteral("close")));
  button->setAutoRaise(true);
  button->setAccessibleName(tr("Close the line of this run"));
  button->setToolTip(tr("Close this line; the run stays in Train and in Train → Runs"));
  connect(button, &QToolButton::clicked, this, &RunLine::close);
  m_close = addWidget(button);
}

void RunLine::close() {
  m_closed = true;
  showWhereNeeded();
}

bool RunLine::hasEnded() const {
  return !m_live && (!m_follower || !m_follower->isFollowing() || m_followedEnded);
}

void RunLine::setFollower(FollowBridge* follower) {
  m_follower = follower;
  connect(follower, &FollowBridge::grew, this,
          [this](const auto& growth) { onFollowed(growth->standing); });
  connect(follower, &FollowBridge::began, this, [this] { m_closed = false; });
  connect(follower, &FollowBridge::ended, this, [this] {
    m_any = m_live;
    refresh();
  });
}

void RunLine::onFollowed(const RunStatus& standing) {
  if (m_live) return;
  const RunMetrics& now = standing.numbers;
  m_any = true;
  m_followedEnded = headlight::hasEnded(standing.state);
  if (!m_followedEnded) m_closed = false;
  m_state = followedStateText(standing);
  if (now.epochs > 0) m_state += tr(" · epoch %1/%2").arg(now.epoch).arg(now.epochs);
  m_run = {{}, now.step, now.steps, now.secondsRemaining};
  const auto known = [](double score) { return std::isfinite(score) ? score : -1; };
  m_scoreName = coreText(now.scoreName);
  m_score = known(now.score);
  m_startScore = known(now.startScore);
  m_bestScore = known(now.bestScore);
  refresh();
}

void RunLine::setShownElsewhere(bool shown) {
  m_shownElsewhere = shown;
  refresh();
}

QString RunLine::text() const {
  return m_open->text() + QLatin1Char(' ') + m_numbers->text();
}

void RunLine::begin() {
  if (std::exchange(m_live, true)) return;
  m_closed = false;
  m_any = true;
  m_state = tr("begins");
  m_run = {};
  m_score = m_startScore = m_bestScore = -1;
}

void RunLine::onUpdated(const TrainingUpdate& update) {
  m_run = update.progress;
  if (update.start) m_startScore = update.start->quality();
  for (const EpochPoint& point : update.epochPoints) {
    m_scoreName = coreText(point.qualityName());
    m_score = point.quality();
    m_bestScore = std::max(m_bestScore, m_score);
  }
  m_state = displayName(update.progress.stage);
  refresh();
}

void RunLine::onFinished(const TrainingOutcome* outcome) {
  m_live = false;
  m_state = !outcome                                    ? tr("failed")
            : outcome->state == TrainingState::Finished ? tr("finished")
                                                        : tr("stopped");
  m_run.secondsRemaining = -1;
  refresh();
}

void RunLine::showWhereNeeded() {
  setVisible(m_any && !m_shownElsewhere && !m_closed);
}

void RunLine::refresh() {
  m_close->setVisible(hasEnded());
  showWhereNeeded();
  const bool follows = !m_live && m_follower && m_follower->isFollowing();
  const QString folder = follows ? m_follower->folder() : m_bridge->folder();
  const QString name = displayName(QFileInfo(folder).fileName().toStdString());
  const QString state = m_bridge->isPaused() ? tr("paused") : m_state;
  // A long name must not widen the window.
  const QString shown = fontMetrics().elidedText(
      name, Qt::ElideMiddle, kMostNameLetters * fontMetrics().averageCharWidth());
  m_open->setText((follows ? tr("▶ following “%1”: %2") : tr("▶ run “%1”: %2")).arg(shown, state));
  m_open->setToolTip(tr("Show the curves, heads and controls of “%1” (F3)").arg(name));
  const double share =
      m_run.total > 0 ? static_cast<double>(m_run.done) / static_cast<double>(m_run.total) : 0;
  m_progress->setValue(static_cast<int>(share * kLineSteps));
  QStringList numbers;
  if (const QString left = remainingText(m_run.secondsRemaining); !left.isEmpty()) numbers << left;
  if (m_score >= 0) {
    const auto percent = [](double share) { return QString::number(100 * share, 'f', 1); };
    QString text = tr("%1 %2 %").arg(m_scoreName, percent(m_score));
    if (m_startScore >= 0)
      text = tr("%1 %2 → %3 %").arg(m_scoreName, percent(m_startScore), percent(m_score));
    if (m_bestScore > m_score) text += tr(", best %1 %").arg(m_bestScore * 100, 0, 'f', 1);
    numbers << text;
  }
  m_numbers->setText(numbers.join(QStringLiteral(" · ")));
}

}  // namespace headlight
