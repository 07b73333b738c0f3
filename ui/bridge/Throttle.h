// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Calls that may come thousands of times a second, let through at a rate that a window can follow.

#include <QElapsedTimer>
#include <QTimer>

#include <functional>

namespace headlight {

/// After every wake() `run` is called at least once, and never twice within the interval: at once
/// where the last call was an interval ago or longer, else when it has passed. Wakes that come
/// while a call waits are answered by that call. `run` is called in the thread that made this,
/// never from within the constructor or destructor; wake() and runNow() are called in that thread
/// too.
class Throttle {
 public:
  Throttle(int intervalMs, std::function<void()> run);

  void wake();
  /// Out of turn, as for the last time; a call that waits is answered by this one.
  void runNow();

 private:
  int m_interval;
  std::function<void()> m_run;
  QElapsedTimer m_sinceRun;
  QTimer m_timer;
};

}  // namespace headlight
