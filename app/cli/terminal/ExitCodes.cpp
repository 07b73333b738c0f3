// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/terminal/ExitCodes.h"

namespace headlight::cli {

int exitCodeOf(ErrorCode code, int signal) {
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
  return "Exit codes:\n"
         "  0    done\n"
         "  1    something inside failed, or a model's output or loss is not a number (NaN)\n"
         "  2    the command line, a config or a mask scheme is wrong\n"
         "  3    an input file is missing, damaged, of a wrong kind or of another model\n"
         "  4    stopped before it was done, but not by a signal\n"
         "  5    the system refused: no space, no permission, a folder vanished\n"
         "  6    another Headlight is writing the run folder\n"
         "  130  Ctrl+C (training writes a checkpoint first; a second Ctrl+C does not wait)\n"
         "  138  SIGUSR1 (Slurm's warning), otherwise as Ctrl+C\n"
         "  143  SIGTERM, otherwise as Ctrl+C";
}

}  // namespace headlight::cli
