// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where a training thread and those who watch it meet: commands in, news out, nobody waiting long.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>

#include "core/training/logs/TrainingTypes.h"

namespace headlight {

class RunControl {
 public:
  // From any thread.
  void pause();
  void unpause();
  void requestSnapshot();
  /// Called from the training thread when there is something new, at most once between two
  /// takeUpdate(). Once setWakeUp has returned, the former function is not called any more; it must
  /// not call setWakeUp itself.
  void setWakeUp(std::function<void()> wakeUp);
  TrainingUpdate takeUpdate();
  /// Wakes a paused run so that it looks at its queue.
  void poke();

  // From the training thread.
  /// Changes the update that is waiting to be taken, and wakes the watcher.
  void publish(const std::function<void(TrainingUpdate&)>& change);
  bool paused() const;
  /// Whether one was asked for since the last call.
  bool takeSnapshotRequest();
  /// Sleeps until unpaused, poked, asked for a snapshot, or told to stop.
  void waitWhilePaused(std::stop_token stop);

 private:
  void wake();

  mutable std::mutex m_mutex;
  std::condition_variable_any m_changed;
  bool m_paused = false;
  bool m_poked = false;
  bool m_snapshotWanted = false;
  bool m_woken = false;  ///< the watcher was called and has not taken the update yet
  TrainingUpdate m_update;
  std::mutex m_wakeMutex;  ///< held during the call, so that setWakeUp can wait for it
  std::function<void()> m_wakeUp;
};

}  // namespace headlight
