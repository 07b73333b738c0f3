// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/FollowController.h"

#include <QFileInfo>
#include <QWidget>

#include "ui/base/SanitizedText.h"
#include "ui/bridge/FollowBridge.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/bridge/TrainingBridge.h"
#include "ui/document/Document.h"
#include "ui/opening/Opener.h"
#include "ui/training/RunFolders.h"
#include "ui/training/TrainingDock.h"
#include "ui/widgets/Dialogs.h"

namespace headlight {
namespace {

QString runName(const QString& folder) {
  return displayName(QFileInfo(folder).fileName());
}

}  // namespace

FollowController::FollowController(const FollowParts& parts)
    : QObject(parts.window), m_parts(parts) {
  connect(parts.dock, &TrainingDock::followRequested, this, &FollowController::choose);
  connect(parts.opener, &Opener::runFound, this, &FollowController::offer);
  connectBridge();
  // The run of an earlier time that a session remembers may be going on.
  connect(parts.training, &TrainingBridge::recorded, this,
          [this](const std::shared_ptr<const RecordedRun>& run) {
            if (!run->held) return;
            m_asked = false;
            m_parts.follow->follow(QString::fromStdString(run->folder.string()),
                                   FollowBridge::Whether::WhileTrained);
          });
  connect(parts.training, &TrainingBridge::stateChanged, this, [this] {
    if (m_parts.training->isRunning()) leaveFor(tr("this window now trains its own run"));
  });
  connect(parts.training, &TrainingBridge::snapshotsWantedChanged, parts.follow,
          &FollowBridge::setWeightsWanted);
}

void FollowController::connectBridge() {
  FollowBridge* bridge = m_parts.follow;
  connect(bridge, &FollowBridge::began, this, [this](const QString& folder) {
    Q_EMIT began(folder);
    if (m_asked) Q_EMIT showRequested();
    Q_EMIT changed();
  });
  connect(bridge, &FollowBridge::idle, this, [this](const QString& folder) {
    if (m_asked) Q_EMIT resumeOffered(folder);
  });
  connect(bridge, &FollowBridge::refused, this, [this](const QString& folder, const QString& why) {
    Q_EMIT notice(
        {Notice::Level::Error, tr("%1 is not followed").arg(runName(folder)), why, {}, {}});
  });
  connect(bridge, &FollowBridge::ended, this, [this] {
    m_parts.training->setSnapshotsWanted(false);
    Q_EMIT changed();
  });
  connect(bridge, &FollowBridge::weightsRead, this, &FollowController::onWeights);
  connect(bridge, &FollowBridge::weightsFailed, this, [this](const QString& why) {
    Q_EMIT notice({Notice::Level::Warning,
                   tr("The run's checkpoint was not read"),
                   tr("%1. The next checkpoint will be tried.").arg(why),
                   {},
                   {}});
  });
}

QString FollowController::folder() const {
  const QString folder = m_parts.follow->folder();
  return folder.isEmpty() ? folder : QFileInfo(folder).absoluteFilePath();
}

void FollowController::choose() {
  askForFolder(m_parts.window, tr("Follow a training run"),
               QString::fromStdString(runsFolder().string()),
               [this](const QString& folder) { follow(folder); });
}

bool FollowController::refusedFor(const QString& folder) {
  if (!m_parts.training->isRunning()) return false;
  Q_EMIT notice({Notice::Level::Warning,
                 tr("%1 is not followed").arg(runName(folder)),
                 tr("A run of this window is being trained, and its curves are shown. Stop it "
                    "first, or follow the other one in a second window."),
                 {},
                 {}});
  return true;
}

void FollowController::follow(const QString& folder) {
  m_asked = true;
  if (!refusedFor(folder)) m_parts.follow->follow(folder, FollowBridge::Whether::Always);
}

/// Handles a dropped run folder: a run in training is followed.
void FollowController::offer(const QString& folder) {
  m_asked = true;
  if (!refusedFor(folder)) m_parts.follow->follow(folder, FollowBridge::Whether::WhileTrained);
}

void FollowController::leaveFor(const QString& why) {
  if (!m_parts.follow->isFollowing()) return;
  const QString name = runName(m_parts.follow->folder());
  m_parts.follow->stop();
  Q_EMIT notice(
      {Notice::Level::Info, {}, tr("“%1” is no longer followed: %2.").arg(name, why), {}, {}});
}

void FollowController::onWeights(std::shared_ptr<const ModelSnapshot> weights) {
  const auto run = m_parts.follow->experiment();
  if (!run || !m_parts.document->inputs().hasModel()) return;
  Experiment here = *run;  // trained on a device that this machine may not have
  here.device = m_parts.document->inputs().model().experiment.device;
  // Once is enough: the next one would be refused as well.
  if (!m_parts.inference->adopt(here, std::move(weights)))
    m_parts.training->setSnapshotsWanted(false);
}

}  // namespace headlight
