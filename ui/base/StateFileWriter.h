// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A small file that holds the newest of a state, such as a list of recent paths: written beside
// the window, and whatever waits when the window closes is written then.

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "ui/base/WorkerThread.h"

namespace headlight {

class StateFileWriter {
 public:
  StateFileWriter();
  ~StateFileWriter();

  /// In place of a state that has not been written yet. An empty `path` is nowhere. Errors are in
  /// the log.
  void write(std::string path, std::string text);

 private:
  struct State {
    std::string path, text;
  };
  void writeNewest();

  std::mutex m_mutex;
  std::optional<State> m_newest;  ///< not written yet
  std::unique_ptr<WorkerThread> m_thread;
};

}  // namespace headlight
