// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/Bounds.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace headlight::fuzz {
namespace {

char g_announced[200];

void notify(const char* text) {
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) std::_Exit(2);
}

void reportSignal(int signal) {
  const bool late = signal == SIGPROF || signal == SIGALRM;
  notify(late ? "\nstill going on after too long: " : "\ncrashed: ");
  notify(g_announced);
  notify("\n");
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void installHandlers() {
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGPROF, SIGALRM})
    std::signal(signal, reportSignal);
}

}  // namespace

void limitMemory(std::size_t bytes) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  std::ifstream status("/proc/self/statm");
  std::size_t pages = 0;
  status >> pages;
  const rlim_t most = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + bytes;
  const rlimit limit{most, most};
  require(pages > 0 && ::setrlimit(RLIMIT_AS, &limit) == 0, "memory cannot be limited");
#endif
}

void announce(const std::string& what) {
  static const bool installed = (installHandlers(), true);
  (void)installed;
  const std::size_t size = std::min(what.size(), sizeof g_announced - 1);
  std::memcpy(g_announced, what.data(), size);
  g_announced[size] = '\0';
  const itimerval limit{{0, 0}, {kMostSeconds, 0}};
  ::setitimer(ITIMER_PROF, &limit, nullptr);
  ::alarm(kMostWaiting);
}

void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

}  // namespace headlight::fuzz
