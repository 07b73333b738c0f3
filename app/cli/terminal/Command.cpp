// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/terminal/Command.h"

#include <unistd.h>

#include "core/base/Translation.h"
#include "core/base/files/OutputTarget.h"

namespace headlight::cli {

std::vector<std::unique_ptr<Command>> makeCommands() {
  std::vector<std::unique_ptr<Command>> commands;
  for (const auto make :
       {makeTrainCommand,    makeSweepCommand,        makeSearchCommand,     makeExportCommand,
        makeWatchCommand,    makeEvolutionCommand,    makeRunsCommand,       makeReplayCommand,
        makeAdaptCommand,    makeEvaluateCommand,     makePredictCommand,    makeAttendCommand,
        makeCompareCommand,  makeFigureCommand,       makeHeadsCommand,      makeSimilarityCommand,
        makeRelativeCommand, makeFaithfulnessCommand, makeInterveneCommand,  makeQueryKeyMapCommand,
        makeObjectsCommand,  makeResultsCommand,      makePreprocessCommand, makeSummaryCommand,
        makeInspectCommand,  makeConvertCommand,      makeSchemesCommand,    makeModelsCommand,
        makeFetchCommand,    makeMakeDatasetCommand,  makeBenchCommand,      makeSelfTestCommand,
        makeSequenceCommand, makeAnglesCommand,       makeFilmCommand,       makeReconstructCommand,
        makeManCommand,      makeCompletionsCommand})
    commands.push_back(make());
  return commands;
}

void refuseUsage(const std::string& where, const std::string& message) {
  throw Failure(Error{ErrorCode::InvalidArgument, message, where});
}

void prepareOutput(const std::string& flag, const std::string& output, Terminal& terminal) {
  if (output != kStandardOutput) return;
  if (::isatty(STDOUT_FILENO) == 1)
    refuseUsage(
        flag,
        tr("would print a binary file to the terminal; give a file, or redirect standard output"));
  terminal.leaveStandardOutput();
}

}  // namespace headlight::cli
