// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/terminal/Signals.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>

#include "app/cli/terminal/ExitCodes.h"

namespace headlight::cli {
namespace {

/// Ends the waiting thread; nobody else sends it.
const int kQuit = SIGRTMIN;

sigset_t watchedSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, kQuit})
    sigaddset(&set, signal);
  return set;
}

bool ignoredFromTheStart(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Signals::Signals(std::function<void()> onFirst) : m_onFirst(std::move(onFirst)) {
  const sigset_t set = watchedSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  m_thread = std::thread([this] { wait(); });
}

Signals::~Signals() {
  pthread_kill(m_thread.native_handle(), kQuit);
  m_thread.join();
}

void Signals::wait() {
  sigset_t set = watchedSignals();
  // nohup and shells that start background jobs ignore signals on purpose.
  for (const int signal : {SIGINT, SIGHUP})
    if (ignoredFromTheStart(signal)) sigdelset(&set, signal);
  for (;;) {
    int signal = 0;
    if (sigwait(&set, &signal) != 0) continue;
    if (signal == kQuit) return;
    if (m_received != 0) ::_exit(kExitSignal + signal);
    m_received = signal;
    m_stop.request_stop();
    if (m_onFirst) m_onFirst();
  }
}

void surviveClosedPipes() {
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace headlight::cli
