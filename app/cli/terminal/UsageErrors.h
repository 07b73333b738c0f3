// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is wrong with a command line, said in our words, with the closest name that would be right.

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

#include "core/base/Result.h"

namespace headlight::cli {

/// The first argument is no subcommand.
std::optional<Error> unknownCommand(const CLI::App& app, const std::string& argument);

/// Arguments that `command` did not take (CLI::App::remaining()).
std::optional<Error> unexpectedArguments(const CLI::App& command);

/// CLI11's own complaint.
Error usageError(const CLI::ParseError& error);

}  // namespace headlight::cli
