// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/SequenceTrainingBridge.h"

#include <utility>

namespace headlight {
namespace {

constexpr int kReadingIntervalMs = 33;        // at most 30 updates a second
constexpr std::size_t kMostReadings = 16384;  // of a window that takes none for long

/// Every second step, and what every validation came to.
void thinReadings(std::vector<SequenceReading>& readings) {
  bool keep = false;
  std::erase_if(readings, [&](const SequenceReading& reading) {
    if (reading.validationBits) return false;
    if (reading.validating) return true;
    keep = !keep;
    return !keep;
  });
}

}  // namespace

SequenceTrainingBridge::SequenceTrainingBridge(QObject* parent)
    : QObject(parent), m_updates(kReadingIntervalMs, [this] { takeReadings(); }) {}

SequenceTrainingBridge::~SequenceTrainingBridge() {
  m_stop.request_stop();
}

void SequenceTrainingBridge::start(const SequenceExperiment& experiment, const QString& folder) {
  launch(experiment, folder, /*resume=*/false, /*withHistory=*/false);
}

void SequenceTrainingBridge::resume(const SequenceExperiment& experiment, const QString& folder,
                                    bool withHistory) {
  launch(experiment, folder, /*resume=*/true, withHistory);
}

void SequenceTrainingBridge::launch(const SequenceExperiment& experiment, const QString& folder,
                                    bool resume, bool withHistory) {
  if (m_running) return;
  m_folder = folder;
  m_experiment = experiment;
  m_running = true;
  m_stop = std::stop_source();
  Q_EMIT stateChanged();
  m_worker.post([this, experiment, path = std::filesystem::path(folder.toStdString()), resume,
                 withHistory, stop = m_stop.get_token()](std::stop_token) {
    bool history = withHistory;
    const auto outcome = trainSequence(
        experiment, path, resume,
        [&](const SequenceReading& reading) {
          // A validation comes after its step, whose own reading may be of before.
          const bool validation = reading.validating || reading.validationBits;
          if (std::exchange(history, false))
            collectHistory(path, reading.step + (validation ? 1 : 0), reading.steps);
          collect(reading);
        },
        stop);
    // Stopped before its first step, or finished long ago.
    if (history && outcome) collectHistory(path, outcome->steps + 1, experiment.training.steps);
    callInThread(this, [this, outcome] { ended(outcome); });
  });
}

void SequenceTrainingBridge::collectHistory(const std::filesystem::path& folder, std::int64_t step,
                                            std::int64_t steps) {
  auto history = sequenceHistory(folder, step);
  for (SequenceReading& reading : history)
    reading.steps = steps;
  const std::lock_guard lock(m_mutex);
  m_readings.insert(m_readings.end(), history.begin(), history.end());
}

void SequenceTrainingBridge::collect(const SequenceReading& reading) {
  {
    const std::lock_guard lock(m_mutex);
    if (m_readings.size() >= kMostReadings) thinReadings(m_readings);
    m_readings.push_back(reading);
    if (std::exchange(m_woken, true)) return;
  }
  callInThread(this, [this] { m_updates.wake(); });
}

void SequenceTrainingBridge::takeReadings() {
  std::vector<SequenceReading> readings;
  {
    const std::lock_guard lock(m_mutex);
    readings.swap(m_readings);
    m_woken = false;
  }
  if (!readings.empty()) Q_EMIT updated(readings);
}

void SequenceTrainingBridge::ended(const Result<SequenceOutcome>& outcome) {
  m_updates.runNow();  // what the last steps had to say comes before the end
  m_running = false;
  Q_EMIT stateChanged();
  if (outcome)
    Q_EMIT finished(std::make_shared<const SequenceOutcome>(*outcome), {});
  else
    Q_EMIT finished(nullptr, QString::fromStdString(outcome.error().text()));
}

void SequenceTrainingBridge::stop() {
  if (!m_running || m_stop.stop_requested()) return;
  m_stop.request_stop();
  Q_EMIT stateChanged();
}

}  // namespace headlight
