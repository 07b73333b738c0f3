// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Runs headlight-cli (or a shell) and keeps what it said.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/cli/ProgramServer.h"

namespace headlight::testing {

using Arguments = std::vector<std::string>;

struct Outcome {
  int exitCode = -1;  ///< -1 where a signal ended it
  int signal = 0;     ///< that ended it
  std::string out, err;
  bool timedOut = false;
  std::int64_t peakBytes = 0;  ///< of resident memory

  /// The last line of standard output, or of standard error, as JSON.
  nlohmann::json json() const;
  nlohmann::json errorJson() const;
};

struct ProgramOptions {
  std::filesystem::path folder;    ///< to run in
  std::chrono::seconds limit{60};  ///< it is killed then
  /// Called before the program starts, in its process, which is loaded anew for it.
  std::function<void()> inChild;
  bool terminal = false;        ///< standard error is a terminal
  bool resultTerminal = false;  ///< standard output is a terminal, of 100 × 25 characters
};

/// A running program. Killed when it goes.
class Program {
 public:
  Program(const std::string& path, const Arguments& arguments, const ProgramOptions& options = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void send(int signal) const;
  /// Reads until `wanted` is true of a whole line of standard output; false at its end or the
  /// limit.
  bool waitForLine(const std::function<bool(const std::string&)>& wanted);
  /// Reads until standard error holds `text`; false at its end or the limit.
  bool waitForError(const std::string& text);
  Outcome finish();

 private:
  /// Reads what there is; false when both pipes are closed or the limit has passed.
  bool pump();
  ProgramEnd waitForEnd();

  std::optional<ServedProgram> m_served;  ///< none: a child of this process
  pid_t m_process = -1;
  int m_out = -1, m_err = -1;
  std::size_t m_seen = 0;  ///< of standard output, as far as lines were looked at
  std::chrono::steady_clock::time_point m_deadline;
  Outcome m_outcome;
};

/// headlight-cli with these arguments, to its end.
Outcome cli(const Arguments& arguments, const ProgramOptions& options = {});
/// A line for the shell; $CLI is headlight-cli.
Outcome shell(const std::string& line, const ProgramOptions& options = {});

}  // namespace headlight::testing
