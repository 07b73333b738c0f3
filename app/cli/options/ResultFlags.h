// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The flags of results that most commands have.

#include <CLI/CLI.hpp>

#include <string>

namespace headlight::cli {

/// --csv; `path` outlives `command`, and `help` says what is written.
void declareCsv(CLI::App& command, std::string& path, const char* help);
/// --json, for a command that prints one object.
void declareJson(CLI::App& command, bool& json);

}  // namespace headlight::cli
