// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Ctrl+C and its kin (SIGTERM, and SIGUSR1, with which Slurm warns) as a std::stop_token. Signals
// are blocked in every thread and waited for by one of our own, so nothing ever runs inside a
// signal handler.

#include <atomic>
#include <functional>
#include <stop_token>
#include <thread>

namespace headlight::cli {

class Signals {
 public:
  /// Make it before any other thread exists: threads inherit the blocked signals. `onFirst` is
  /// called, from another thread, when the first signal comes; a second ends the program at once.
  explicit Signals(std::function<void()> onFirst);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  std::stop_token stopToken() const { return m_stop.get_token(); }
  /// The signal that asked to stop; 0 if none did.
  int received() const { return m_received; }

 private:
  void wait();

  std::function<void()> m_onFirst;
  std::stop_source m_stop;
  std::atomic<int> m_received{0};
  std::thread m_thread;
};

/// Lets writes to a closed pipe fail instead of ending the program: a training goes on when the
/// `head` behind it has seen enough. Other commands end silently, as a user of pipes expects.
void surviveClosedPipes();

}  // namespace headlight::cli
