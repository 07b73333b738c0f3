// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The way from the window to the training of a sequence model. Owns the run's thread. What the run
// has to say arrives as `updated`, at most 30 times a second, with one queued wake-up at a time.

#include <QObject>
#include <QString>

#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

#include "core/workbench/sequences/SequenceTraining.h"
#include "ui/base/WorkerThread.h"
#include "ui/bridge/Throttle.h"

namespace headlight {

class SequenceTrainingBridge : public QObject {
  Q_OBJECT
 public:
  explicit SequenceTrainingBridge(QObject* parent = nullptr);
  /// Stops the run, which writes its checkpoint, and joins its thread.
  ~SequenceTrainingBridge() override;

  /// Begins a run in `folder`; `resume` goes on with `experiment`, the one that is there, and
  /// `withHistory` tells what it did before in the first `updated`. Ignored while one runs. Either
  /// ends in exactly one `finished`.
  void start(const SequenceExperiment& experiment, const QString& folder);
  void resume(const SequenceExperiment& experiment, const QString& folder, bool withHistory);
  void stop();  ///< between two steps, with a checkpoint

  bool isRunning() const { return m_running; }  ///< from start or resume until finished
  bool isStopping() const { return m_running && m_stop.stop_requested(); }
  /// The present or the last run.
  const QString& folder() const { return m_folder; }
  const SequenceExperiment& experiment() const { return m_experiment; }

 Q_SIGNALS:
  /// Running, stopping or idle has changed.
  void stateChanged();
  /// Everything since the last time; never empty.
  void updated(const std::vector<headlight::SequenceReading>& readings);
  /// The end: with its outcome, or null and what went wrong.
  void finished(std::shared_ptr<const headlight::SequenceOutcome> outcome, const QString& error);

 private:
  void launch(const SequenceExperiment& experiment, const QString& folder, bool resume,
              bool withHistory);
  // Called from the run's thread.
  /// The earlier updates, before `step`, of a run with `steps` in all.
  void collectHistory(const std::filesystem::path& folder, std::int64_t step, std::int64_t steps);
  void collect(const SequenceReading& reading);
  void takeReadings();
  void ended(const Result<SequenceOutcome>& outcome);

  QString m_folder;
  SequenceExperiment m_experiment;
  bool m_running = false;
  std::stop_source m_stop;
  Throttle m_updates;

  std::mutex m_mutex;  ///< of the two below
  std::vector<SequenceReading> m_readings;
  bool m_woken = false;  ///< a wake-up is on its way, or waits for the throttle

  WorkerThread m_worker;  // last: joined first
};

}  // namespace headlight
