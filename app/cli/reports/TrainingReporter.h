// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Says how a training goes, from its own thread, while run() works on the caller's: a bar and a
// line an epoch for a person, JSON lines for a program.

#include <condition_variable>
#include <mutex>
#include <thread>

#include "app/cli/terminal/ProgressBar.h"
#include "core/workbench/training/TrainingSession.h"

namespace headlight::cli {

class TrainingReporter {
 public:
  TrainingReporter(TrainingSession& session, Terminal& terminal);
  /// Reports what is left, then stops.
  ~TrainingReporter();
  TrainingReporter(const TrainingReporter&) = delete;
  TrainingReporter& operator=(const TrainingReporter&) = delete;

 private:
  void work();
  void report(const TrainingUpdate& update);
  void reportJson(const TrainingUpdate& update);
  void reportText(const TrainingUpdate& update);

  TrainingSession& m_session;
  Terminal& m_terminal;
  ProgressBar m_bar;
  std::mutex m_mutex;
  std::condition_variable m_wake;
  bool m_pending = true;  ///< what was published before there was anybody to wake
  bool m_done = false;
  TrainingState m_state = TrainingState::Preparing;
  std::thread m_thread;
};

}  // namespace headlight::cli
