// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a model makes of each class of a dataset, as evaluate --classes tells it.

#include <string>

#include "app/cli/terminal/Terminal.h"
#include "core/workbench/evaluation/ClassReport.h"

namespace headlight::cli {

struct ClassTable {
  SchemeResult result;
  bool classes = false;        ///< a line a class
  std::string csv, confusion;  ///< files; empty: none
  std::size_t worst = 0;       ///< images to name, at most
  std::string precision = "float32";
};

/// Writes the files and tells the rest. Throws Failure.
void reportClasses(const ClassTable& table, Terminal& terminal);

}  // namespace headlight::cli
