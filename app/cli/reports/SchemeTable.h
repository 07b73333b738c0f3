// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What masks do on a dataset, as evaluate --beside tells it.

#include <string>
#include <vector>

#include "app/cli/terminal/Terminal.h"
#include "core/workbench/evaluation/MaskEffect.h"

namespace headlight::cli {

/// Schemes over the same images: the first is the one asked about, the others stand beside it.
struct SchemeTable {
  std::vector<std::string> names;
  std::vector<MaskScheme> schemes;
  std::vector<SchemeResult> results;
  std::size_t changes = 0;  ///< images to name, at most
  std::string precision = "float32";
};

/// A line a scheme, then from each of the others to the first what changes. Throws Failure.
void reportSchemes(const SchemeTable& table, Terminal& terminal);

}  // namespace headlight::cli
