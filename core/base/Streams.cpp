// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/Streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <iostream>

namespace headlight {

void prepareStreams() {
  // The lowest number that is free is the one that is given, so the order matters.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) == -1 && ::open("/dev/null", O_RDWR) != stream) ::_exit(1);
  std::signal(SIGXFSZ, SIG_IGN);
}

void leave(int exitCode) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  std::exit(exitCode);  // they report then
#else
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(exitCode);
#endif
}

}  // namespace headlight
