// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The subcommands of `headlight-cli sequence`, and what they share.

#include <memory>
#include <string>

#include "app/cli/terminal/Command.h"
#include "core/workbench/sequences/SequenceSession.h"

namespace headlight::cli {

std::unique_ptr<Command> makeSequenceTrainCommand();
std::unique_ptr<Command> makeSequenceEvaluateCommand();
std::unique_ptr<Command> makeSequenceCompleteCommand();
std::unique_ptr<Command> makeSequenceContinueCommand();
std::unique_ptr<Command> makeSequenceAttendCommand();
std::unique_ptr<Command> makeSequenceSummaryCommand();

/// The trained model that a subcommand works with.
struct SequenceRunOptions {
  std::string run;  ///< folder of a run, or weights
  std::string device = "auto";
  int threads = 0;

  /// RUN, --device, --threads.
  void declare(CLI::App& app);
  /// Throws Failure. `command`: who says that RUN is missing.
  std::shared_ptr<SequenceSession> open(const std::string& command) const;
};

/// How bytes are drawn from a model.
struct SequenceDrawOptions {
  double temperature = 1;
  std::int64_t seed = 0;

  /// --temperature, --seed.
  void declare(CLI::App& app);
};

}  // namespace headlight::cli
