// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cli/ProgramServer.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

extern char** environ;

namespace headlight::testing {
namespace {

/// What dynamic linker, C library, OpenMP, BLAS and LibTorch look at before main().
std::vector<std::string> variablesOfLoading() {
  std::vector<std::string> result;
  for (char** variable = environ; *variable; ++variable)
    for (const char* start : {"LD_", "GLIBC_", "MALLOC_", "OMP_", "GOMP_", "OPENBLAS_", "GOTO_",
                              "MKL_", "TORCH_", "ATEN_", "CUDA_"})
      if (std::strncmp(*variable, start, std::strlen(start)) == 0) result.emplace_back(*variable);
  std::sort(result.begin(), result.end());
  return result;
}

bool readAll(int descriptor, void* to, std::size_t size) {
  auto* next = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t count = ::read(descriptor, next, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    next += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

/// One for all programs of this process; it ends when its socket does.
class Server {
 public:
  static Server& instance() {
    static Server server;
    return server;
  }

  bool isFor(const std::vector<std::string>& variables) const {
    return m_socket >= 0 && variables == m_variables;
  }

  bool send(const std::string& message, const std::vector<int>& descriptors) const {
    RequestMessage request(const_cast<char*>(message.data()), message.size());
    cmsghdr* rights = CMSG_FIRSTHDR(&request.header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(3 * sizeof(int));
    std::memcpy(CMSG_DATA(rights), descriptors.data(), 3 * sizeof(int));
    return ::sendmsg(m_socket, &request.header, MSG_NOSIGNAL) ==
           static_cast<ssize_t>(message.size());
  }

 private:
  Server() : m_variables(variablesOfLoading()) {
#ifdef HEADLIGHT_CLI_SERVER
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
    const pid_t process = ::fork();
    if (process == 0) {
      ::dup2(ends[1], STDIN_FILENO);
      ::execl(HEADLIGHT_CLI_SERVER, HEADLIGHT_CLI_SERVER, "--serve", nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    if (process > 0)
      m_socket = ends[0];
    else
      ::close(ends[0]);
#endif
  }

  std::vector<std::string> m_variables;
  int m_socket = -1;
};

}  // namespace

std::string packed(const ProgramRequest& request) {
  std::string result = std::to_string(request.arguments.size()) + '\0' + request.folder + '\0';
  for (const auto* list : {&request.arguments, &request.variables})
    for (const std::string& text : *list)
      result += text + '\0';
  return result;
}

ProgramRequest unpacked(const std::string& message) {
  std::vector<std::string> texts;
  for (std::size_t begin = 0; begin < message.size();) {
    const std::size_t end = message.find('\0', begin);
    texts.push_back(message.substr(begin, end - begin));
    begin = end + 1;
  }
  ProgramRequest request;
  const auto arguments = texts.begin() + 2, variables = arguments + std::stol(texts.at(0));
  request.folder = texts.at(1);
  request.arguments.assign(arguments, variables);
  request.variables.assign(variables, texts.end());
  return request;
}

RequestMessage::RequestMessage(char* bytes, std::size_t size) : part{bytes, size} {
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
}

std::optional<ServedProgram> serve(const ProgramRequest& request) {
  constexpr std::size_t kMost = 100000;  // a socket's buffer holds twice that
  const std::string message = packed(request);
  if (message.size() > kMost || !Server::instance().isFor(variablesOfLoading()))
    return std::nullopt;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  ServedProgram program{-1, ends[0]};
  const bool sent = Server::instance().send(message, {request.out, request.err, ends[1]});
  ::close(ends[1]);
  if (sent && readAll(program.ended, &program.process, sizeof program.process)) return program;
  ::close(program.ended);
  return std::nullopt;
}

ProgramEnd endOf(ServedProgram& program) {
  ProgramEnd end;
  if (!readAll(program.ended, &end, sizeof end)) end.status = SIGKILL;
  ::close(program.ended);
  program = {};
  return end;
}

}  // namespace headlight::testing
