// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What teaching a model classes came to, as adapt tells it.

#include <optional>
#include <string>

#include "app/cli/terminal/Terminal.h"
#include "core/workbench/adapt/Adapt.h"

namespace headlight::cli {

struct AdaptTable {
  AdaptReport report;
  std::string besideName;             ///< of the masks that are compared
  std::optional<AdaptReport> beside;  ///< under these
  std::string output;                 ///< where the model was saved; empty: nowhere
  bool classes = false;               ///< a line a class
  std::size_t worst = 0;              ///< images to name, at most
};

Json adaptJson(const AdaptTable& table);
void printAdaptTable(const AdaptTable& table, Terminal& terminal);

}  // namespace headlight::cli
