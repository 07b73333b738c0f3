// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A table of measurements as lines of a terminal.

#include <string>

#include "core/workbench/bench/BenchTable.h"

namespace headlight::cli {

/// Texts and their titles to the left, numbers and theirs to the right, each column as wide as its
/// widest cell. No line ends in spaces.
std::string tableText(const BenchTable& table);

}  // namespace headlight::cli
