// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The options that say how maps are drawn.

#include <CLI/CLI.hpp>

#include <string>

#include "app/cli/options/ImageStyle.h"

namespace headlight::cli {

struct StyleOptions {
  std::string colorMap, style;  ///< as typed; empty: not given

  /// --colormap, --style, --dim, --smooth or --blocks, --opacity. Numbers and flags go to `target`,
  /// which outlives `app`; names wait for apply().
  void declare(CLI::App& app, ImageStyle& target, const char* group);
  /// Throws Failure for a name that is not known.
  void apply(ImageStyle& target) const;
};

}  // namespace headlight::cli
