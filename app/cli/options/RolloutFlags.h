// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The options that say how rollout goes through the layers.

#include <CLI/CLI.hpp>

#include <string>

#include "core/workbench/session/MapRendering.h"

namespace headlight::cli {

struct RolloutFlags {
  std::string fusion = "mean";  ///< as typed

  /// --fusion, --discard. The number goes to `target`, which outlives `app`; the name waits for
  /// apply().
  void declare(CLI::App& app, RolloutOptions& target, const char* group);
  /// Throws Failure for a name that is not known or a number that is none of these.
  void apply(RolloutOptions& target) const;
};

}  // namespace headlight::cli
