#include "app/cli/Command.h"

namespace headlight::cli {

std::vector<std::unique_ptr<Command>> makeCommands() {
  std::vector<std::unique_ptr<Command>> commands;
  for (const auto make :
       {makeTrainCommand, makeSweepCommand, makeEvaluateCommand, makePredictCommand,
        makeAttendCommand, makePreprocessCommand, makeSummaryCommand, makeInspectCommand,
        makeConvertCommand, makeMakeDatasetCommand, makeBenchCommand, makeSequenceCommand})
    commands.push_back(make());
  return commands;
}

void refuseUsage(const std::string& where, const std::string& message) {
  throw Failure(Error{ErrorCode::InvalidArgument, message, where});
}

}  // namespace headlight::cli
