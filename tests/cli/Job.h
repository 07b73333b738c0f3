// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One run in several processes, as a launcher starts them.

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/FreePort.h"
#include "tests/cli/Program.h"

namespace headlight::testing {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// The processes of one job, as torchrun would start them.
class Job {
 public:
  Job(int count, const Arguments& arguments, const ProgramOptions& options, int port = freePort()) {
    for (int rank = 0; rank < count; ++rank)
      add(variablesOf(rank, count, port), arguments, options);
  }
  Job() = default;

  void add(const Variables& variables, const Arguments& arguments, ProgramOptions options) {
    options.limit = std::chrono::seconds(300);
    options.inChild = [variables] {
      for (const auto& [name, value] : variables)
        ::setenv(name.c_str(), value.c_str(), 1);
    };
    m_programs.push_back(std::make_unique<Program>(HEADLIGHT_CLI, arguments, options));
  }
  static Variables variablesOf(int rank, int count, int port) {
    const std::string number = std::to_string(rank), all = std::to_string(count);
    return {{"RANK", number},
            {"WORLD_SIZE", all},
            {"LOCAL_RANK", number},
            {"LOCAL_WORLD_SIZE", all},
            {"MASTER_ADDR", "127.0.0.1"},
            {"MASTER_PORT", std::to_string(port)}};
  }

  Program& rank(int number) { return *m_programs[static_cast<std::size_t>(number)]; }
  std::vector<Outcome> finish() {
    std::vector<Outcome> all;
    for (const auto& program : m_programs)
      all.push_back(program->finish());
    return all;
  }

 private:
  std::vector<std::unique_ptr<Program>> m_programs;
};

inline bool isStep(const std::string& line) {
  return line.find("\"step\"") != std::string::npos;
}

}  // namespace headlight::testing
