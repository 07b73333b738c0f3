// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/TrainingBridge.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace headlight {
namespace {

constexpr int kUpdateIntervalMs = 33;  // at most 30 updates a second
constexpr int kSnapshotIntervalMs = 1000;

/// Empty: it is done.
QString errorText(const Result<void>& done) {
  return done ? QString() : QString::fromStdString(done.error().text());
}

}  // namespace

TrainingBridge::TrainingBridge(QObject* parent)
    : QObject(parent), m_updates(kUpdateIntervalMs, [this] { takeUpdate(); }) {
  m_snapshotTimer.setInterval(kSnapshotIntervalMs);
  connect(&m_snapshotTimer, &QTimer::timeout, this, &TrainingBridge::pollSnapshot);
}

TrainingBridge::~TrainingBridge() {
  m_stop.request_stop();
}

void TrainingBridge::start(const Experiment& experiment, const QString& folder) {
  launch(folder,
         [experiment, folder] { return TrainingSession::begin(experiment, folder.toStdString()); });
}

void TrainingBridge::resume(const QString& folder) {
  launch(folder, [folder] { return TrainingSession::resume(folder.toStdString()); });
}

void TrainingBridge::readRecorded(const QString& folder) {
  if (folder.isEmpty() || m_running || !m_folder.isEmpty()) return;
  m_worker.post([this, folder](std::stop_token) {
    auto read = readRecordedRun(folder.toStdString());
    if (!read) return;
    const auto run = std::make_shared<const RecordedRun>(std::move(*read));
    callInThread(this, [this, folder, run] {
      if (m_running || !m_folder.isEmpty()) return;
      m_folder = folder;
      Q_EMIT recorded(run);
    });
  });
}

void TrainingBridge::launch(const QString& folder, std::function<Begun()> begin) {
  if (m_running) return;
  m_session.reset();
  m_lastSnapshot.reset();
  m_folder = folder;
  m_running = true;
  m_paused = m_folderGone = false;
  m_stop = std::stop_source();
  Q_EMIT stateChanged();
  m_worker.post([this, begin = std::move(begin), stop = m_stop.get_token()](std::stop_token) {
    auto begun = begin();
    if (!begun) {
      callInThread(this, [this, error = begun.error()] { ended(error); });
      return;
    }
    std::shared_ptr<TrainingSession> session = std::move(*begun);
    const auto history = std::make_shared<const RunHistory>(session->history());
    session->setWakeUp([this] { callInThread(this, [this] { m_updates.wake(); }); });
    callInThread(this, [this, session, history] { began(session, history); });
    auto outcome = session->run(stop);
    const auto place = session->folder();  // it may have been moved
    std::error_code unknown;
    const bool gone = !outcome && !std::filesystem::exists(place, unknown);
    callInThread(this, [this, outcome, gone, place] {
      m_folder = QString::fromStdString(place.string());
      ended(outcome, gone);
    });
  });
}

void TrainingBridge::began(std::shared_ptr<TrainingSession> session,
                           const std::shared_ptr<const RunHistory>& history) {
  m_session = std::move(session);
  if (m_paused) m_session->pause();
  if (m_snapshotsWanted) m_snapshotTimer.start();
  if (!history->empty()) Q_EMIT wentOn(history);
  Q_EMIT stateChanged();
}

void TrainingBridge::ended(Result<TrainingOutcome> outcome, bool folderGone) {
  m_folderGone = folderGone;
  m_updates.runNow();  // what the last steps had to say comes before the end
  pollSnapshot();
  m_snapshotTimer.stop();
  m_running = false;
  m_paused = false;
  Q_EMIT stateChanged();
  if (outcome)
    Q_EMIT finished(std::make_shared<const TrainingOutcome>(*outcome), {});
  else
    Q_EMIT finished(nullptr, QString::fromStdString(outcome.error().text()));
}

void TrainingBridge::takeUpdate() {
  if (!m_session) return;
  auto update = std::make_shared<const TrainingUpdate>(m_session->takeUpdate());
  Q_EMIT updated(std::move(update));
}

void TrainingBridge::pause() {
  if (!m_running || m_paused) return;
  m_paused = true;
  if (m_session) m_session->pause();
  Q_EMIT stateChanged();
}

void TrainingBridge::unpause() {
  if (!m_running || !m_paused) return;
  m_paused = false;
  if (m_session) m_session->unpause();
  Q_EMIT stateChanged();
}

void TrainingBridge::stop() {
  if (!m_running || m_stop.stop_requested()) return;
  m_stop.request_stop();
  Q_EMIT stateChanged();
}

bool TrainingBridge::submit(const MaskEdit& edit) {
  return m_running && m_session && m_session->submit(edit);
}

bool TrainingBridge::hasNewestWeights() const {
  return m_session && m_session->snapshot();
}

void TrainingBridge::saveNewestWeights(const QString& path) {
  if (!m_session || m_running) return;
  m_worker.post([this, session = m_session, path](std::stop_token) {
    const auto saved = session->saveSnapshot(path.toStdString());
    callInThread(this,
                 [this, path, error = errorText(saved)] { Q_EMIT weightsSaved(path, error); });
  });
}

void TrainingBridge::recreateFolder() {
  if (!m_session || m_running) return;
  m_worker.post([this, session = m_session](std::stop_token) {
    const auto made = session->recreateFolder();
    callInThread(this, [this, error = errorText(made)] {
      if (error.isEmpty()) m_folderGone = false;
      Q_EMIT folderRecreated(error);
    });
  });
}

std::optional<Experiment> TrainingBridge::experiment() const {
  if (!m_session) return std::nullopt;
  return m_session->experiment();
}

std::optional<Experiment> TrainingBridge::exported() const {
  if (!m_session) return std::nullopt;
  return m_session->exported();
}

std::optional<MaskScheme> TrainingBridge::masks() const {
  if (!m_session) return std::nullopt;
  return m_session->masks();
}

void TrainingBridge::setSnapshotsWanted(bool wanted) {
  if (wanted == m_snapshotsWanted) return;
  m_snapshotsWanted = wanted;
  m_lastSnapshot.reset();
  // First: whoever is given a snapshot may want no more.
  Q_EMIT snapshotsWantedChanged(wanted);
  if (m_snapshotsWanted && m_session) {
    pollSnapshot();
    if (m_snapshotsWanted && m_running) m_snapshotTimer.start();
  } else {
    m_snapshotTimer.stop();
  }
}

void TrainingBridge::pollSnapshot() {
  if (!m_snapshotsWanted || !m_session) return;
  auto newest = m_session->snapshot();
  if (newest && newest != m_lastSnapshot) {
    m_lastSnapshot = newest;
    Q_EMIT snapshotReady(newest);
  }
  if (m_running) m_session->requestSnapshot();
}

}  // namespace headlight
