// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/ThreadPriority.h"

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace headlight {

/// Linux keeps a nice value for each thread, not for each process; Qt's priorities of threads do
/// nothing there.
void runBehindTheWindow() {
#ifdef __linux__
  constexpr int kNice = 5;
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), getpriority(PRIO_PROCESS, 0) + kNice);
#endif
}

}  // namespace headlight
