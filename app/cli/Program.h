// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// headlight-cli: everything the window can compute, as commands.

namespace headlight::cli {

/// What main() is given; returns the exit code. To be called once in a process.
int runProgram(int count, char** arguments);

}  // namespace headlight::cli
