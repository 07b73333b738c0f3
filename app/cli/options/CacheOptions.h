// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The option to keep what is measured on a dataset, and to take what was kept.

#include <CLI/CLI.hpp>

#include "app/cli/terminal/Terminal.h"
#include "core/workbench/results/CachedMetrics.h"

namespace headlight::cli {

struct CacheOptions {
  bool keep = false, anew = false;

  /// --keep, --anew.
  void declare(CLI::App& command);
  /// Throws Failure for flags that contradict each other.
  void check() const;
  /// Keeps nothing unless it was asked for.
  CachePolicy keeping() const;
};

/// Says when it was measured, of what is kept; in JSON `measured` says it.
void sayMeasured(const std::string& measured, Terminal& terminal);
Json measuredJson(const std::string& measured);

}  // namespace headlight::cli
