// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/terminal/ExitCodes.h"

#include "core/base/Translation.h"

namespace headlight::cli {

int exitCodeFor(ErrorCode code, int signal) {
  switch (code) {
    case ErrorCode::InvalidArgument:
    case ErrorCode::InvalidConfig:
      return kExitUsage;
    case ErrorCode::InvalidFile:
    case ErrorCode::UnsupportedFile:
    case ErrorCode::NotFound:
      return kExitInput;
    case ErrorCode::Io:
      return kExitSystem;
    case ErrorCode::Busy:
      return kExitBusy;
    case ErrorCode::Canceled:
      return signal > 0 ? kExitSignal + signal : kExitCanceled;
    case ErrorCode::Internal:
      break;
  }
  return kExitFailed;
}

const char* errorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidArgument:
      return "invalid_argument";
    case ErrorCode::InvalidConfig:
      return "invalid_config";
    case ErrorCode::InvalidFile:
      return "invalid_file";
    case ErrorCode::UnsupportedFile:
      return "unsupported_file";
    case ErrorCode::NotFound:
      return "not_found";
    case ErrorCode::Io:
      return "io";
    case ErrorCode::Busy:
      return "busy";
    case ErrorCode::Canceled:
      return "canceled";
    case ErrorCode::Internal:
      break;
  }
  return "internal";
}

const char* exitCodeHelp() {
  return tr(
      "Exit codes:\n"
      "  0    done\n"
      "  1    internal failure, or a model's output or loss is not a number (NaN)\n"
      "  2    the command line, a config or a mask scheme is wrong\n"
      "  3    an input file is missing, damaged, of the wrong kind or for another model\n"
      "  4    stopped early, but not by a signal\n"
      "  5    system error: no space, no permission, a folder was removed\n"
      "  6    another Headlight is writing the run folder\n"
      "  130  Ctrl+C (training writes a checkpoint first; a second Ctrl+C exits at once)\n"
      "  138  SIGUSR1 (Slurm's warning), like Ctrl+C\n"
      "  143  SIGTERM, like Ctrl+C");
}

}  // namespace headlight::cli
