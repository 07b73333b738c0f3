// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The window's thread with nothing left to do: what waited has been done, and what that asked for.

#include <QAbstractEventDispatcher>

namespace headlight::synthetic {

/// Layouts and queued replots are done; timers that are not due yet, and other threads, are not.
inline void untilIdle() {
  while (QAbstractEventDispatcher::instance()->processEvents(QEventLoop::AllEvents)) {
  }
}

}  // namespace headlight::synthetic
