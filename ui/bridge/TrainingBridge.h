// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The way from the window to a training run. Owns the run's thread. What the run has to say arrives
// as `updated`, at most 30 times a second, with one queued wake-up at a time.

#include <QObject>
#include <QString>
#include <QTimer>

#include <memory>
#include <optional>
#include <stop_token>

#include "core/workbench/runs/RecordedRun.h"
#include "core/workbench/training/TrainingSession.h"
#include "ui/base/WorkerThread.h"
#include "ui/bridge/Throttle.h"

namespace headlight {

class TrainingBridge : public QObject {
  Q_OBJECT
 public:
  explicit TrainingBridge(QObject* parent = nullptr);
  /// Stops the run, which writes its checkpoint, and joins its thread.
  ~TrainingBridge() override;

  /// Begins a run in `folder`; `resume` goes on with the one that is there. Ignored while one runs.
  /// Either ends in exactly one `finished`.
  void start(const Experiment& experiment, const QString& folder);
  void resume(const QString& folder);
  /// Shows what the folder of an earlier run tells, in `recorded`; nothing where it is not there
  /// any more, or where this window has a run already.
  void readRecorded(const QString& folder);
  void pause();
  void unpause();
  void stop();  ///< at the next step boundary, with a checkpoint

  /// To the run's queue of edits; false when there is no run or it refuses (queue full, other
  /// shape).
  bool submit(const MaskEdit& edit);

  /// For a run that ended with an error: whether its folder was deleted meanwhile, and whether
  /// weights of it are still here.
  bool folderIsGone() const { return m_folderGone; }
  bool hasNewestWeights() const;
  void saveNewestWeights(const QString& path);  ///< ends in `weightsSaved`
  /// Makes a deleted folder again, to be resumed from the step at which the run ended; ends in
  /// `folderRecreated`.
  void recreateFolder();

  bool isRunning() const { return m_running; }  ///< from start or resume until finished
  bool isPaused() const { return m_paused; }
  bool isStopping() const { return m_running && m_stop.stop_requested(); }
  QString folder() const { return m_folder; }
  /// The present or the last run; nothing before the first.
  std::optional<Experiment> experiment() const;
  /// The run so far as one config; nothing before it has begun.
  std::optional<Experiment> exported() const;
  /// The scheme in force in the run, edits included.
  std::optional<MaskScheme> masks() const;

  /// Keeps asking for copies of the weights: snapshotReady, about once a second.
  void setSnapshotsWanted(bool wanted);
  bool snapshotsWanted() const { return m_snapshotsWanted; }

 Q_SIGNALS:
  /// Running, paused, stopping or idle has changed.
  void stateChanged();
  /// For a resumed run, before its first update: the earlier steps from its folder.
  void wentOn(std::shared_ptr<const headlight::RunHistory> history);
  void recorded(std::shared_ptr<const headlight::RecordedRun> run);
  void updated(std::shared_ptr<const headlight::TrainingUpdate> update);
  /// The end: with its outcome, or null and what went wrong.
  void finished(std::shared_ptr<const headlight::TrainingOutcome> outcome, const QString& error);
  void weightsSaved(const QString& path, const QString& error);  ///< no error: they are
  void folderRecreated(const QString& error);
  void snapshotsWantedChanged(bool wanted);
  void snapshotReady(std::shared_ptr<const headlight::ModelSnapshot> snapshot);

 private:
  using Begun = Result<std::unique_ptr<TrainingSession>>;
  void launch(const QString& folder, std::function<Begun()> begin);
  void began(std::shared_ptr<TrainingSession> session,
             const std::shared_ptr<const RunHistory>& history);
  void ended(Result<TrainingOutcome> outcome, bool folderGone = false);
  void takeUpdate();
  void pollSnapshot();

  std::shared_ptr<TrainingSession> m_session;
  std::shared_ptr<const ModelSnapshot> m_lastSnapshot;
  QString m_folder;
  bool m_running = false, m_paused = false, m_snapshotsWanted = false;
  bool m_folderGone = false;
  std::stop_source m_stop;
  Throttle m_updates;
  QTimer m_snapshotTimer;
  WorkerThread m_worker;  // last: joined first
};

}  // namespace headlight
