// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the program's exit says. Scripts depend on these numbers: never renumber them.

#include "core/base/Result.h"

namespace headlight::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;    ///< something inside went wrong, NaN among it
inline constexpr int kExitUsage = 2;     ///< the command line, a config or a mask scheme is wrong
inline constexpr int kExitInput = 3;     ///< an input file is missing, damaged or of a wrong kind
inline constexpr int kExitCanceled = 4;  ///< stopped, but not by a signal
inline constexpr int kExitSystem = 5;    ///< no space, no permission, a folder vanished
inline constexpr int kExitBusy = 6;      ///< another program holds the run folder
inline constexpr int kExitSignal = 128;  ///< plus the signal: 130 for Ctrl+C

/// `signal`: the signal that asked to stop, 0 if none did.
int exitCodeFor(ErrorCode code, int signal);

/// "invalid_config": the `code` of a JSON error.
const char* errorCodeName(ErrorCode code);

/// The lines of --help that list them.
const char* exitCodeHelp();

}  // namespace headlight::cli
