// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The options of attend. Throws Failure, like all of the command line.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/options/ModelOptions.h"
#include "app/cli/options/RolloutFlags.h"
#include "app/cli/options/StyleOptions.h"

namespace headlight::cli {

struct AttendOptions {
  std::vector<std::string> images;
  std::string tensor, output, folder, queryText;
  std::string show = "attention", classText, format, truth;
  bool foreground = false;
  std::optional<int> layer, head;   ///< from 0; empty: all
  std::optional<int> decoderLayer;  ///< from 0; empty: the last
  std::optional<int> box;           ///< of a detector, best first, from 0; empty: none by itself
  bool json = false;
  ImageStyle style;
  StyleOptions styleOptions;
  RolloutOptions rollout;
  RolloutFlags rolloutFlags;
  ModelOptions model;

  void declare(CLI::App& command);
  /// Puts fusion and style where they are read. Throws Failure for words that are not known.
  void apply();

 private:
  void declareLooks(CLI::App& command);
};

}  // namespace headlight::cli
