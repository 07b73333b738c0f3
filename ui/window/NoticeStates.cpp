// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/NoticeStates.h"

#include <utility>

#include "ui/bridge/FollowBridge.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/bridge/TrainingBridge.h"
#include "ui/opening/Opener.h"
#include "ui/widgets/NoticeBar.h"

namespace headlight {

NoticeStates::NoticeStates(const NoticeSources& sources, QObject* parent)
    : QObject(parent), m_sources(sources) {
  connect(sources.inference, &ModelWorker::replacing, this, [this] {
    if (!m_sources.isRestoring()) m_sources.bar->leave(Notice::Model);
  });
  connect(sources.opener, &Opener::opening, this, [this] {
    if (!m_sources.isRestoring()) m_sources.bar->leave(Notice::File);
  });
  connect(sources.training, &TrainingBridge::stateChanged, this, &NoticeStates::onTrainingState);
  connect(sources.follow, &FollowBridge::began, this,
          [this] { m_sources.bar->leave(Notice::Run); });
}

void NoticeStates::onTrainingState() {
  const bool running = m_sources.training->isRunning();
  if (std::exchange(m_running, running) != running) m_sources.bar->leave(Notice::Run);
}

}  // namespace headlight
