// SPDX-License-Identifier: GPL-3.0-or-later
// headlight-cli that, started with --serve, forks for every command it is sent (ProgramServer.h) and
// otherwise is headlight-cli: programs that start themselves again start this one.

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "app/cli/Program.h"
#include "core/base/Streams.h"
#include "tests/cli/ProgramServer.h"

extern char** environ;

namespace {

using namespace headlight::testing;

constexpr int kSocket = STDIN_FILENO;

struct Received {
  ProgramRequest request;
  int ended = -1;
};

std::optional<Received> receive() {
  std::string message(1 << 18, '\0');
  RequestMessage given(message.data(), message.size());
  const ssize_t size = ::recvmsg(kSocket, &given.header, 0);
  const cmsghdr* rights = CMSG_FIRSTHDR(&given.header);
  if (size <= 0 || !rights || rights->cmsg_len != CMSG_LEN(3 * sizeof(int))) return std::nullopt;
  int descriptors[3];
  std::memcpy(descriptors, CMSG_DATA(rights), sizeof descriptors);
  Received received{unpacked(message.substr(0, static_cast<std::size_t>(size))), descriptors[2]};
  received.request.out = descriptors[0];
  received.request.err = descriptors[1];
  return received;
}

[[noreturn]] void becomeProgram(Received& received) {
  ProgramRequest& request = received.request;
  ::close(received.ended);
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(request.out, STDOUT_FILENO);
  ::dup2(request.err, STDERR_FILENO);
  ::close(request.out);
  ::close(request.err);
  if (::chdir(request.folder.c_str()) != 0) ::_exit(126);
  ::clearenv();
  for (std::string& variable : request.variables)
    ::putenv(variable.data());
  std::vector<char*> arguments;
  for (std::string& argument : request.arguments)
    arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  const int count = static_cast<int>(request.arguments.size());
  headlight::leave(headlight::cli::runProgram(count, arguments.data()));
}

/// Starts the program, says its number, and when it is over how it ended.
[[noreturn]] void keep(Received& received) {
  ::signal(SIGCHLD, SIG_DFL);
  const pid_t process = ::fork();
  if (process == 0) becomeProgram(received);
  ::close(received.request.out);
  ::close(received.request.err);
  ProgramEnd end;
  rusage used{};
  if (process > 0 && ::write(received.ended, &process, sizeof process) == sizeof process &&
      ::wait4(process, &end.status, 0, &used) == process) {
    end.peakKilobytes = used.ru_maxrss;
    if (::write(received.ended, &end, sizeof end) != sizeof end) ::_exit(1);
  }
  ::_exit(0);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2 || std::string(arguments[1]) != "--serve")
    headlight::leave(headlight::cli::runProgram(count, arguments));
  ::signal(SIGCHLD, SIG_IGN);  // nobody waits for those who keep a program
  while (auto received = receive()) {
    if (::fork() == 0) keep(*received);
    for (const int descriptor : {received->request.out, received->request.err, received->ended})
      ::close(descriptor);
  }
  return 0;
}
