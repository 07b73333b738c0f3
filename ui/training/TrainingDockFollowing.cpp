// SPDX-License-Identifier: GPL-3.0-or-later

// TrainingDock, continued: a run that somebody else trains, shown as one of this window's own.

#include <QAction>
#include <QFileInfo>

#include "core/workbench/runs/RunFollower.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/FollowBridge.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/bridge/TrainingBridge.h"
#include "ui/document/Document.h"
#include "ui/plots/LocalityPlot.h"
#include "ui/plots/LossPlot.h"
#include "ui/training/EvolutionBar.h"
#include "ui/training/FollowedLine.h"
#include "ui/training/TrainingDock.h"
#include "ui/training/TrainingOutcomeBar.h"

namespace headlight {
namespace {

/// The last of them; a tool tip has room for so many.
QString listedEdits(const std::vector<AppliedEdit>& edits) {
  constexpr std::size_t kMostListed = 12;
  QStringList lines;
  for (std::size_t i = edits.size() - std::min(edits.size(), kMostListed); i < edits.size(); ++i)
    lines
        << TrainingDock::tr("step %1: %2").arg(edits[i].step).arg(displayName(edits[i].edit.label));
  return lines.join(QLatin1Char('\n'));
}

int headsOf(const MaskScheme& scheme) {
  int heads = 0;
  for (int layer = 0; layer < scheme.layers(); ++layer)
    heads += scheme.heads(layer);
  return heads;
}

}  // namespace

void TrainingDock::setFollower(FollowBridge* follower) {
  m_follower = follower;
  connect(m_actions.stopFollowing, &QAction::triggered, follower, &FollowBridge::stop);
  connect(follower, &FollowBridge::grew, this,
          [this](const std::shared_ptr<const RunGrowth>& growth) { onGrew(*growth); });
  connect(follower, &FollowBridge::ended, this, &TrainingDock::onLeft);
  connect(m_followed, &FollowedLine::openCheckpoint, this,
          [this] { Q_EMIT openCheckpointRequested(m_follower->lastCheckpoint()); });
  refreshControls();
}

bool TrainingDock::isFollowing() const {
  return m_follower && m_follower->isFollowing();
}

void TrainingDock::onGrew(const RunGrowth& growth) {
  if (growth.anew) {
    clear();
    m_followedEdits.clear();
  }
  if (growth.experiment) m_recorded = *growth.experiment;
  onWentOn(growth.points);
  for (const AppliedEdit& applied : growth.points.edits)
    m_followedEdits.push_back(applied);
  m_followed->setStanding(m_follower->folder(), growth.standing,
                          !m_follower->lastCheckpoint().isEmpty());
  m_followed->show();
  showFollowedMasks();
  refreshControls();
}

/// The curves stay until there are others.
void TrainingDock::onLeft(const QString& folder) {
  m_followed->hide();
  m_followedEdits.clear();
  if (!m_active) {
    m_left = true;
    TrainingOutcomeBar::Offers none;
    m_outcomeBar->tell(tr("“%1” is no longer followed. Its curves are as they were seen last.")
                           .arg(displayName(QFileInfo(folder).fileName())),
                       false, none);
  }
  refreshControls();
  redraw();
}

/// What would change a run is not offered for one that is somebody else's.
void TrainingDock::refreshFollowing() {
  m_actions.stopFollowing->setEnabled(isFollowing());
  m_actions.lookThrough->setToolTip(
      m_actions.lookThrough->isEnabled() ? m_actions.lookThrough->statusTip()
      : m_bridge->experiment() ? tr("The run trains another model than the one shown: open "
                                    "its checkpoint first")
                               : tr("There is no run whose weights could be shown"));
  if (!isFollowing()) return;
  m_actions.followEdits->setEnabled(false);
  m_actions.followEdits->setToolTip(tr("The run is followed only: its masks are not changed"));
  const auto run = m_follower->experiment();
  const bool fits = !run || !m_document->hasModel() ||
                    ModelWorker::canLookThrough(run->model, m_document->model().experiment.model);
  m_actions.lookThrough->setEnabled(fits);
  m_actions.lookThrough->setToolTip(
      fits ? m_actions.lookThrough->statusTip()
           : tr("The run trains another model than the one shown: open its checkpoint first"));
}

/// At the step that the evolution shows: the newest, or an earlier one.
void TrainingDock::showFollowedMasks() {
  if (!isFollowing() || !m_follower->experiment()) return;
  const auto& point = m_evolution->shown();
  const std::int64_t step = point ? point->step : m_follower->standing().numbers.step;
  const auto masks = masksAtStep(*m_follower->experiment(), m_followedEdits, step);
  if (!masks) return m_followed->setMasks({}, {});
  QString text = tr("masks at step %1: “%2”, %3 of %4 heads")
                     .arg(step)
                     .arg(displayName(schemeTitle(*masks)))
                     .arg(masks->maskedHeads())
                     .arg(headsOf(*masks));
  if (const auto edits = m_followedEdits.size(); edits > 0)
    text += edits == 1 ? tr(" · 1 edit so far") : tr(" · %1 edits so far").arg(edits);
  m_followed->setMasks(text, listedEdits(m_followedEdits));
}

}  // namespace headlight
