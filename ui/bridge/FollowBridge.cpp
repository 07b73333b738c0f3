// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/FollowBridge.h"

#include <QDir>

#include <utility>

#include "core/workbench/runs/RunCheckpoints.h"

namespace headlight {
namespace {

bool isRun(FollowedRunState state) {
  return state != FollowedRunState::NoRun && state != FollowedRunState::Unreadable;
}

}  // namespace

FollowBridge::FollowBridge(QObject* parent) : QObject(parent) {
  m_timer.setSingleShot(true);  // the next poll begins when this one is done, however slow the disk
  m_timer.setInterval(static_cast<int>(1000 * kRunPollSeconds));
  connect(&m_timer, &QTimer::timeout, this, &FollowBridge::poll);
}

FollowBridge::~FollowBridge() {
  m_stop.request_stop();
}

void FollowBridge::follow(const QString& folder, Whether whether) {
  const int ticket = ++m_asked;
  m_worker.post([this, ticket, folder, whether](std::stop_token stop) {
    const auto follower = std::make_shared<RunFollower>(folder.toStdString());
    const auto growth = std::make_shared<RunGrowth>(follower->poll(stop));
    callInThread(this, [=, this] { lookedFirst(ticket, follower, growth, whether); });
  });
}

void FollowBridge::lookedFirst(int ticket, const Follower& follower, const Growth& growth,
                               Whether whether) {
  if (ticket != m_asked) return;
  const QString folder = QString::fromStdString(follower->folder().string());
  const RunStatus& standing = growth->standing;
  if (!isRun(standing.state)) {
    Q_EMIT refused(folder,
                   standing.problem ? QString::fromStdString(standing.problem->text()) : QString());
    return;
  }
  if (whether == Whether::WhileTrained && hasEnded(standing.state)) {
    Q_EMIT idle(folder);
    return;
  }
  stop();
  m_follower = follower;
  m_folder = folder;
  Q_EMIT began(folder);
  growth->anew = true;
  looked(follower, growth);
}

void FollowBridge::stop() {
  ++m_asked;
  m_stop.request_stop();
  m_stop = std::stop_source();
  m_timer.stop();
  if (!std::exchange(m_follower, nullptr)) return;
  m_standing = {};
  m_experiment.reset();
  m_checkpoint = m_checkpointRead = 0;
  Q_EMIT ended(std::exchange(m_folder, QString()));
}

void FollowBridge::poll() {
  m_worker.post([this, follower = m_follower, stop = m_stop.get_token()](std::stop_token) {
    if (stop.stop_requested()) return;
    const auto growth = std::make_shared<RunGrowth>(follower->poll(stop));
    callInThread(this, [=, this] { looked(follower, growth); });
  });
}

void FollowBridge::looked(const Follower& follower, const Growth& growth) {
  if (follower != m_follower) return;  // another one is followed by now, or none
  m_standing = growth->standing;
  m_experiment = growth->experiment;
  m_checkpoint = growth->checkpoint;
  Q_EMIT grew(growth);
  if (follower != m_follower) return;  // whoever heard of it has stopped it
  readWeights();
  m_timer.start();
}

QString FollowBridge::lastCheckpoint() const {
  return m_checkpoint == 0 ? QString()
                           : QDir(m_folder).filePath(QStringLiteral("last.safetensors"));
}

void FollowBridge::setWeightsWanted(bool wanted) {
  if (!std::exchange(m_weightsWanted, wanted)) m_checkpointRead = 0;
  readWeights();
}

void FollowBridge::readWeights() {
  if (!m_follower || !m_weightsWanted || m_checkpoint == m_checkpointRead) return;
  m_checkpointRead = m_checkpoint;
  if (m_checkpoint == 0) return;
  m_worker.post([this, follower = m_follower, stop = m_stop.get_token()](std::stop_token) {
    if (stop.stop_requested()) return;
    auto read = checkpointWeights(follower->folder());
    callInThread(this, [this, follower, read] {
      if (follower != m_follower || !m_weightsWanted) return;
      if (read)
        Q_EMIT weightsRead(*read);
      else
        Q_EMIT weightsFailed(QString::fromStdString(read.error().text()));
    });
  });
}

}  // namespace headlight
