// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One subcommand of headlight-cli.

#include <CLI/CLI.hpp>

#include <memory>
#include <stop_token>
#include <vector>

#include "app/cli/terminal/Terminal.h"

namespace headlight::cli {

class Command {
 public:
  virtual ~Command() = default;
  /// Adds the subcommand and its options to `app`. Called once; the command outlives `app`.
  virtual CLI::App* declare(CLI::App& app) = 0;
  /// Does it, after parsing. Returns the exit code; throws Failure for an error that ends it.
  virtual int run(Terminal& terminal, std::stop_token stop) = 0;
};

std::unique_ptr<Command> makeTrainCommand();
std::unique_ptr<Command> makeSweepCommand();
std::unique_ptr<Command> makeSearchCommand();
std::unique_ptr<Command> makeExportCommand();
std::unique_ptr<Command> makeWatchCommand();
std::unique_ptr<Command> makeRunsCommand();
std::unique_ptr<Command> makeReplayCommand();
std::unique_ptr<Command> makeEvolutionCommand();
std::unique_ptr<Command> makeAdaptCommand();
std::unique_ptr<Command> makeEvaluateCommand();
std::unique_ptr<Command> makePredictCommand();
std::unique_ptr<Command> makeReconstructCommand();
std::unique_ptr<Command> makeAttendCommand();
std::unique_ptr<Command> makeCompareCommand();
std::unique_ptr<Command> makeFilmCommand();
std::unique_ptr<Command> makeFigureCommand();
std::unique_ptr<Command> makeHeadsCommand();
std::unique_ptr<Command> makeSimilarityCommand();
std::unique_ptr<Command> makeRelativeCommand();
std::unique_ptr<Command> makeFaithfulnessCommand();
std::unique_ptr<Command> makeInterveneCommand();
std::unique_ptr<Command> makeObjectsCommand();
std::unique_ptr<Command> makeAnglesCommand();
std::unique_ptr<Command> makeQueryKeyMapCommand();
std::unique_ptr<Command> makeResultsCommand();
std::unique_ptr<Command> makePreprocessCommand();
std::unique_ptr<Command> makeSummaryCommand();
std::unique_ptr<Command> makeInspectCommand();
std::unique_ptr<Command> makeConvertCommand();
std::unique_ptr<Command> makeSchemesCommand();
std::unique_ptr<Command> makeMakeDatasetCommand();
std::unique_ptr<Command> makeBenchCommand();
std::unique_ptr<Command> makeSelfTestCommand();
std::unique_ptr<Command> makeSequenceCommand();
std::unique_ptr<Command> makeModelsCommand();
std::unique_ptr<Command> makeFetchCommand();
std::unique_ptr<Command> makeManCommand();
std::unique_ptr<Command> makeCompletionsCommand();

/// All of them, in the order of --help.
std::vector<std::unique_ptr<Command>> makeCommands();

/// Throws the Failure of a wrong command line.
[[noreturn]] void refuseUsage(const std::string& where, const std::string& message);

/// Before a file is written to `output`, which may be kStandardOutput: then results go to standard
/// error. Throws Failure naming `flag` where standard output is a person's terminal.
void prepareOutput(const std::string& flag, const std::string& output, Terminal& terminal);

}  // namespace headlight::cli
