// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/training/Ranks.h"

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/FreePort.h"

namespace headlight {
namespace {

/// This process's variables and those of a launcher.
std::vector<std::string> environmentOf(int rank, int count, int port) {
  std::vector<std::string> all;
  for (char** variable = ::environ; *variable; ++variable)
    all.emplace_back(*variable);
  const std::string processes = std::to_string(count), number = std::to_string(rank);
  for (const std::string& added :
       {"RANK=" + number, "WORLD_SIZE=" + processes, "LOCAL_RANK=" + number,
        "LOCAL_WORLD_SIZE=" + processes, std::string("MASTER_ADDR=127.0.0.1"),
        "MASTER_PORT=" + std::to_string(port)})
    all.push_back(added);
  return all;
}

std::vector<char*> pointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

pid_t start(std::vector<std::string> arguments, std::vector<std::string> environment) {
  arguments.insert(arguments.begin(), HEADLIGHT_RANKS);
  auto argv = pointersTo(arguments), envp = pointersTo(environment);
  pid_t process = -1;
  EXPECT_EQ(::posix_spawn(&process, HEADLIGHT_RANKS, nullptr, nullptr, argv.data(), envp.data()),
            0);
  return process;
}

}  // namespace

void startRanks(int count, const std::vector<std::string>& arguments) {
  const int port = freePort();
  std::vector<pid_t> processes;
  for (int rank = 0; rank < count; ++rank)
    processes.push_back(start(arguments, environmentOf(rank, count, port)));
  for (const pid_t process : processes) {
    int status = -1;
    ::waitpid(process, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  }
}

}  // namespace headlight
