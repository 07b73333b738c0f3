// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/selftest/SecondProcess.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "core/base/Translation.h"

namespace headlight {
namespace {

/// After its end, for the reason that it may have left where the processes meet, which says more.
constexpr std::chrono::seconds kForItsWord{2};

/// How the program is started: silent, and without the signals that this thread blocks.
class SpawnSettings {
 public:
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t files{};
  posix_spawnattr_t attributes{};
};

std::vector<std::string> launchVariables(const Launch& launch) {
  return {"RANK=" + std::to_string(launch.rank),
          "WORLD_SIZE=" + std::to_string(launch.count),
          "LOCAL_RANK=" + std::to_string(launch.localRank),
          "LOCAL_WORLD_SIZE=" + std::to_string(launch.localCount),
          "MASTER_ADDR=" + launch.host,
          "MASTER_PORT=" + std::to_string(launch.port),
          "TORCHELASTIC_USE_AGENT_STORE=False"};
}

/// This process's variables, those of a launcher in the place of others that have their names.
std::vector<std::string> launchEnvironment(const Launch& launch) {
  const std::vector<std::string> set = launchVariables(launch);
  std::vector<std::string> all = set;
  for (char** variable = ::environ; *variable; ++variable) {
    const std::string text = *variable;
    const std::string name = text.substr(0, text.find('=')) + "=";
    if (std::none_of(set.begin(), set.end(),
                     [&](const std::string& own) { return own.starts_with(name); }))
      all.push_back(text);
  }
  return all;
}

std::vector<char*> spawnPointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// By posix_spawn: of LibTorch's threads none survives a fork.
pid_t spawned(std::vector<std::string> command, std::vector<std::string> environment) {
  auto arguments = spawnPointers(command), variables = spawnPointers(environment);
  const SpawnSettings settings;
  pid_t process = -1;
  const int failed = ::posix_spawn(&process, command.front().c_str(), &settings.files,
                                   &settings.attributes, arguments.data(), variables.data());
  if (failed != 0)
    throw Failure(
        {ErrorCode::Io,
         tr("the second process cannot be started: ") + std::generic_category().message(failed),
         command.front()});
  return process;
}

/// Waits for it, and leaves it to be collected: until then its number is nobody else's.
siginfo_t endOf(pid_t process) {
  siginfo_t end{};
  while (::waitid(P_PID, static_cast<id_t>(process), &end, WEXITED | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
  return end;
}

std::string failureText(const siginfo_t& end) {
  const std::string number = std::to_string(end.si_status);
  if (end.si_code == CLD_KILLED || end.si_code == CLD_DUMPED)
    return tr("the second process was ended by signal ") + number;
  const bool failed = end.si_code == CLD_EXITED && end.si_status != 0;
  return failed ? tr("the second process ended with exit code ") + number : "";
}

}  // namespace

SecondProcess::SecondProcess(const std::vector<std::string>& command, const Launch& launch,
                             const std::stop_token& stop)
    : m_process(spawned(command, launchEnvironment(launch))),
      m_forward(stop, [this] { m_stop.request_stop(); }),
      m_watcher([this] { watch(); }) {}

SecondProcess::~SecondProcess() {
  {
    const std::lock_guard lock(m_mutex);
    if (!m_ended) ::kill(m_process, SIGKILL);
    m_released = true;
    m_wake.notify_all();
  }
  m_watcher.join();
  ::waitpid(m_process, nullptr, 0);
}

void SecondProcess::watch() {
  const std::string failure = failureText(endOf(m_process));
  {
    std::unique_lock lock(m_mutex);
    m_failure = failure;
    m_ended = true;
    m_wake.notify_all();
    if (failure.empty()) return;
    m_wake.wait_for(lock, kForItsWord, [this] { return m_released; });
  }
  m_stop.request_stop();
}

std::string SecondProcess::failure() const {
  const std::lock_guard lock(m_mutex);
  return m_failure;
}

void SecondProcess::awaitEnd(std::chrono::seconds limit) {
  std::unique_lock lock(m_mutex);
  if (!m_wake.wait_for(lock, limit, [this] { return m_ended; }))
    throw Failure({ErrorCode::Io, tr("the second process did not end"), ""});
  if (!m_failure.empty()) throw Failure({ErrorCode::Io, m_failure, ""});
}

}  // namespace headlight
