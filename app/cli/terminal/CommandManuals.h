// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What --help says of the commands, as data for manual pages and completions.

#include <CLI/CLI.hpp>

#include "core/base/manual/ProgramManual.h"

namespace headlight::cli {

/// Of `app` and all commands below it: what their --help shows, and no more; earlier spellings are
/// left out there and here.
CommandManual describeCommand(const CLI::App& app);

/// The program that `command` is a part of.
const CLI::App& programOf(const CLI::App& command);

}  // namespace headlight::cli
