// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Follows a run of another process: polls its folder every two seconds
// on a thread of its own, and never changes anything in it.

#include <QObject>
#include <QString>
#include <QTimer>

#include <cstdint>
#include <memory>
#include <stop_token>

#include "core/workbench/runs/RunFollower.h"
#include "ui/base/WorkerThread.h"

namespace headlight {

class ModelSnapshot;

class FollowBridge : public QObject {
  Q_OBJECT
 public:
  enum class Whether {
    Always,       ///< whatever has become of the run
    WhileTrained  ///< only where somebody trains it just now
  };

  explicit FollowBridge(QObject* parent = nullptr);
  ~FollowBridge() override;  ///< joins its thread

  /// Reads `folder`, and then one of: `began` (in place of what was followed before), `refused`
  /// where there is no run that can be read, `idle` where nobody trains it and that was asked for.
  void follow(const QString& folder, Whether whether);
  void stop();  ///< ends in `ended` where one was followed

  bool isFollowing() const { return m_follower != nullptr; }
  QString folder() const { return m_folder; }  ///< empty: none is followed
  const RunStatus& standing() const { return m_standing; }
  std::shared_ptr<const Experiment> experiment() const { return m_experiment; }
  QString lastCheckpoint() const;  ///< a path; empty where there is none

  /// Reads the weights of every new checkpoint, the present one first: `weightsRead`.
  void setWeightsWanted(bool wanted);
  /// Between two polls; for tests.
  void setInterval(int milliseconds) { m_timer.setInterval(milliseconds); }

 Q_SIGNALS:
  void began(const QString& folder);
  void refused(const QString& folder, const QString& why);
  void idle(const QString& folder);
  void grew(std::shared_ptr<const headlight::RunGrowth> growth);
  void ended(const QString& folder);
  void weightsRead(std::shared_ptr<const headlight::ModelSnapshot> weights);
  void weightsFailed(const QString& why);

 private:
  using Follower = std::shared_ptr<RunFollower>;
  using Growth = std::shared_ptr<RunGrowth>;
  void lookedFirst(int ticket, const Follower& follower, const Growth& growth, Whether whether);
  void poll();
  void looked(const Follower& follower, const Growth& growth);
  void readWeights();

  Follower m_follower;  ///< asked on the worker's thread only; null: none is followed
  QString m_folder;
  RunStatus m_standing;
  std::shared_ptr<const Experiment> m_experiment;
  std::uint64_t m_checkpoint = 0, m_checkpointRead = 0;
  bool m_weightsWanted = false;
  int m_asked = 0;  ///< a ticket: a later question supersedes an earlier one
  QTimer m_timer;
  std::stop_source m_stop;
  WorkerThread m_worker;  // last: joined first
};

}  // namespace headlight
