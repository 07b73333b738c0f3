// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/training/TrainingFollower.h"

#include <QAction>

#include <algorithm>
#include <memory>

#include "core/masks/MaskScheme.h"
#include "core/workbench/runs/RunCheckpoints.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/FollowBridge.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/training/FollowedLine.h"

namespace headlight {
namespace {

/// The last edits, as many as fit in a tool tip.
QString listedEdits(const std::vector<AppliedEdit>& edits) {
  constexpr std::size_t kMostListed = 12;
  QStringList lines;
  for (std::size_t i = edits.size() - std::min(edits.size(), kMostListed); i < edits.size(); ++i)
    lines << TrainingFollower::tr("step %1: %2")
                 .arg(edits[i].step)
                 .arg(displayName(edits[i].edit.label));
  return lines.join(QLatin1Char('\n'));
}

int countHeads(const MaskScheme& scheme) {
  int heads = 0;
  for (int layer = 0; layer < scheme.layers(); ++layer)
    heads += scheme.heads(layer);
  return heads;
}

}  // namespace

TrainingFollower::TrainingFollower(FollowedLine* line, const TrainingActions& actions,
                                   QObject* parent)
    : QObject(parent), m_line(line), m_actions(actions) {}

void TrainingFollower::setBridge(FollowBridge* bridge) {
  m_bridge = bridge;
  connect(m_actions.stopFollowing, &QAction::triggered, bridge, &FollowBridge::stop);
  connect(bridge, &FollowBridge::grew, this,
          [this](const std::shared_ptr<const RunGrowth>& growth) { onGrew(*growth); });
  connect(bridge, &FollowBridge::ended, this, &TrainingFollower::onLeft);
  connect(m_line, &FollowedLine::openCheckpoint, this,
          [this] { Q_EMIT openCheckpointRequested(m_bridge->lastCheckpoint()); });
}

bool TrainingFollower::isFollowing() const {
  return m_bridge && m_bridge->isFollowing();
}

QString TrainingFollower::folder() const {
  return isFollowing() ? m_bridge->folder() : QString();
}

void TrainingFollower::onGrew(const RunGrowth& growth) {
  if (growth.anew) m_edits.clear();
  for (const AppliedEdit& applied : growth.points.edits)
    m_edits.push_back(applied);
  m_line->setStanding(m_bridge->folder(), growth.standing, !m_bridge->lastCheckpoint().isEmpty());
  m_line->show();
  Q_EMIT grew(growth);
}

void TrainingFollower::onLeft(const QString& folder) {
  m_line->hide();
  m_edits.clear();
  Q_EMIT left(folder);
}

void TrainingFollower::refreshActions(bool runsHere, const ModelConfig* shown) {
  QAction* lookThrough = m_actions.lookThrough;
  const QString another =
      tr("The run trains a different model than the open one. Open its checkpoint first");
  m_actions.stopFollowing->setEnabled(isFollowing());
  lookThrough->setToolTip(lookThrough->isEnabled() ? lookThrough->statusTip()
                          : runsHere               ? another
                                                   : tr("No run is in progress"));
  if (!isFollowing()) return;
  m_actions.followEdits->setEnabled(false);
  m_actions.followEdits->setToolTip(tr("Mask edits do not apply to a followed run"));
  const auto run = m_bridge->experiment();
  const bool fits = !run || !shown || ModelWorker::canLookThrough(run->model, *shown);
  lookThrough->setEnabled(fits);
  lookThrough->setToolTip(fits ? lookThrough->statusTip() : another);
}

void TrainingFollower::showMasks(std::optional<std::int64_t> shownStep) {
  if (!isFollowing() || !m_bridge->experiment()) return;
  const std::int64_t step = shownStep.value_or(m_bridge->standing().numbers.step);
  const auto masks = masksAtStep(*m_bridge->experiment(), m_edits, step);
  if (!masks) return m_line->setMasks({}, {});
  QString text = tr("masks at step %1: “%2”, %3 of %4 heads")
                     .arg(step)
                     .arg(displayName(schemeTitle(*masks)))
                     .arg(masks->maskedHeads())
                     .arg(countHeads(*masks));
  if (const auto edits = m_edits.size(); edits > 0)
    text += edits == 1 ? tr(" · 1 edit so far") : tr(" · %1 edits so far").arg(edits);
  m_line->setMasks(text, listedEdits(m_edits));
}

}  // namespace headlight
