// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A program that is started as another process of one run, watched, and in the end gone.

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/processes/Launch.h"

namespace headlight {

class SecondProcess {
 public:
  /// Starts `command`, a program by its path and its arguments, which finds `launch` in its
  /// environment. It reads nothing, and what it prints is dropped, but for standard error. Throws
  /// Failure(Io).
  SecondProcess(const std::vector<std::string>& command, const Launch& launch,
                const std::stop_token& stop);
  /// Ends it, where it still runs.
  ~SecondProcess();
  SecondProcess(const SecondProcess&) = delete;
  SecondProcess& operator=(const SecondProcess&) = delete;

  /// Requested where `stop` is, and shortly after the process failed.
  std::stop_token stop() const { return m_stop.get_token(); }
  /// How it failed, in words; empty: it still runs or ended well.
  std::string failure() const;
  /// Waits for its end. Throws Failure(Io) where it failed, or did not end within `limit`.
  void awaitEnd(std::chrono::seconds limit);

 private:
  void watch();

  pid_t m_process;
  std::stop_source m_stop;
  mutable std::mutex m_mutex;
  std::condition_variable m_wake;
  bool m_ended = false, m_released = false;
  std::string m_failure;
  std::stop_callback<std::function<void()>> m_forward;
  std::thread m_watcher;
};

}  // namespace headlight
