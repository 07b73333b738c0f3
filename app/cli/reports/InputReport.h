// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What `inspect` says of an input that is no checkpoint.

#include <stop_token>

#include "app/cli/terminal/Terminal.h"
#include "core/workbench/loading/Input.h"

namespace headlight::cli {

/// Whether inspectCheckpoint() is not to be asked: it is of another kind, or of none that is known.
bool isNoCheckpoint(const Input& input);

/// What it is, and what is in it: the pixels of an image, the splits and classes of a dataset, the
/// model of a config, what a folder holds. One JSON object with --json. Throws Failure where it
/// cannot be read, or is of no known kind.
void printInput(const Input& input, Terminal& terminal, const std::stop_token& stop);

}  // namespace headlight::cli
