// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Completions of a program's commands, options and values for shells. The scripts hold all they
// know: completing starts no program.

#include <string>

#include "core/base/manual/ProgramManual.h"

namespace headlight {

/// For bash 4 and later, with or without the package bash-completion.
std::string bashCompletion(const CommandManual& program);
/// For zsh: a file _PROGRAM of its fpath.
std::string zshCompletion(const CommandManual& program);
/// For fish 3 and later.
std::string fishCompletion(const CommandManual& program);

/// "_headlight_cli": a function of the scripts.
std::string completionFunction(const CommandManual& program);

/// All names of the options of `command`, in its order.
std::vector<std::string> optionNames(const CommandManual& command);

}  // namespace headlight
