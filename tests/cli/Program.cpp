// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cli/Program.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

extern char** environ;

namespace headlight::testing {
namespace {

std::string lastLine(const std::string& text) {
  if (text.empty()) return "";
  const auto end = text.find_last_not_of('\n');
  if (end == std::string::npos) return "";
  const auto begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

struct Channel {
  int read = -1, write = -1;
};

Channel makePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  return {ends[0], ends[1]};
}

Channel makeTerminal() {
  Channel channel;
  winsize size{25, 100, 0, 0};
  if (::openpty(&channel.read, &channel.write, nullptr, nullptr, &size) != 0)
    throw std::runtime_error("openpty");
  ::fcntl(channel.read, F_SETFD, FD_CLOEXEC);
  ::fcntl(channel.write, F_SETFD, FD_CLOEXEC);
  return channel;
}

[[noreturn]] void becomeProgram(const std::string& path, const Arguments& arguments,
                                const ProgramOptions& options, int out, int err) {
  ::signal(SIGPIPE, SIG_DFL);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) ::_exit(126);
  if (options.terminal || options.resultTerminal) ::setenv("TERM", "xterm", 1);
  if (options.inChild) options.inChild();
  std::vector<char*> list{const_cast<char*>(path.c_str())};
  for (const auto& argument : arguments)
    list.push_back(const_cast<char*>(argument.c_str()));
  list.push_back(nullptr);
  ::execv(path.c_str(), list.data());
  ::_exit(127);
}

std::optional<ServedProgram> fromServer(const Arguments& arguments, const ProgramOptions& options,
                                        int out, int err) {
  ProgramRequest request{{HEADLIGHT_CLI}, {}, options.folder, out, err};
  request.arguments.insert(request.arguments.end(), arguments.begin(), arguments.end());
  const bool terminal = options.terminal || options.resultTerminal;
  if (terminal) request.variables.push_back("TERM=xterm");
  for (char** variable = environ; *variable; ++variable)
    if (!terminal || std::strncmp(*variable, "TERM=", 5) != 0)
      request.variables.emplace_back(*variable);
  if (request.folder.empty()) request.folder = std::filesystem::current_path();
  return serve(request);
}

}  // namespace

nlohmann::json Outcome::json() const {
  return nlohmann::json::parse(lastLine(out));
}
nlohmann::json Outcome::errorJson() const {
  return nlohmann::json::parse(lastLine(err));
}

Program::Program(const std::string& path, const Arguments& arguments, const ProgramOptions& options)
    : m_deadline(std::chrono::steady_clock::now() + options.limit) {
  const Channel out = options.resultTerminal ? makeTerminal() : makePipe();
  const Channel err = options.terminal ? makeTerminal() : makePipe();
  if (path == HEADLIGHT_CLI && !options.inChild)
    m_served = fromServer(arguments, options, out.write, err.write);
  m_process = m_served ? m_served->process : ::fork();
  if (m_process < 0) throw std::runtime_error("fork");
  if (m_process == 0) becomeProgram(path, arguments, options, out.write, err.write);
  ::close(out.write);
  ::close(err.write);
  m_out = out.read;
  m_err = err.read;
}

Program::~Program() {
  if (m_process > 0) {
    ::kill(m_process, SIGKILL);
    waitForEnd();
  }
  for (const int descriptor : {m_out, m_err})
    if (descriptor >= 0) ::close(descriptor);
}

void Program::send(int signal) const {
  ::kill(m_process, signal);
}

bool Program::pump() {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      m_deadline - std::chrono::steady_clock::now());
  if (left.count() <= 0) {
    m_outcome.timedOut = true;
    ::kill(m_process, SIGKILL);
    return false;
  }
  std::array<pollfd, 2> wanted{pollfd{m_out, POLLIN, 0}, pollfd{m_err, POLLIN, 0}};
  if (m_out < 0 && m_err < 0) return false;
  if (::poll(wanted.data(), wanted.size(), static_cast<int>(left.count())) < 0)
    return errno == EINTR;
  std::array<char, 4096> buffer;
  for (auto [descriptor, text, state] : {std::tuple{&m_out, &m_outcome.out, wanted[0].revents},
                                         std::tuple{&m_err, &m_outcome.err, wanted[1].revents}}) {
    if (*descriptor < 0 || state == 0) continue;
    const ssize_t count = ::read(*descriptor, buffer.data(), buffer.size());
    if (count > 0) {
      text->append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {  // a terminal ends with EIO
      ::close(*descriptor);
      *descriptor = -1;
    }
  }
  return true;
}

bool Program::waitForLine(const std::function<bool(const std::string&)>& wanted) {
  do {
    for (auto end = m_outcome.out.find('\n', m_seen); end != std::string::npos;
         end = m_outcome.out.find('\n', m_seen)) {
      const std::string line = m_outcome.out.substr(m_seen, end - m_seen);
      m_seen = end + 1;
      if (wanted(line)) return true;
    }
  } while (m_out >= 0 && pump());
  return false;
}

bool Program::waitForError(const std::string& text) {
  while (m_outcome.err.find(text) == std::string::npos)
    if (m_err < 0 || !pump()) return false;
  return true;
}

Outcome Program::finish() {
  while (pump()) {
  }
  const ProgramEnd end = waitForEnd();
  m_outcome.peakBytes = std::int64_t{end.peakKilobytes} * 1024;
  if (WIFEXITED(end.status)) m_outcome.exitCode = WEXITSTATUS(end.status);
  if (WIFSIGNALED(end.status)) m_outcome.signal = WTERMSIG(end.status);
  return m_outcome;
}

ProgramEnd Program::waitForEnd() {
  ProgramEnd end;
  if (m_served) {
    end = endOf(*m_served);
  } else {
    rusage used{};
    ::wait4(m_process, &end.status, 0, &used);
    end.peakKilobytes = used.ru_maxrss;
  }
  m_process = -1;
  return end;
}

Outcome cli(const Arguments& arguments, const ProgramOptions& options) {
  return Program(HEADLIGHT_CLI, arguments, options).finish();
}

Outcome shell(const std::string& line, const ProgramOptions& options) {
  ProgramOptions withPath = options;
  withPath.inChild = [&] {
    ::setenv("CLI", HEADLIGHT_CLI, 1);
    if (options.inChild) options.inChild();
  };
  return Program("/bin/sh", {"-c", line}, withPath).finish();
}

}  // namespace headlight::testing
