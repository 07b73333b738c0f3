// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The options that say which images of a dataset a command works on: --data and --data.*.

#include <CLI/CLI.hpp>

#include <string>

#include "app/cli/options/ModelOptions.h"
#include "app/cli/options/ParameterFlags.h"
#include "core/config/ClassMatching.h"

namespace headlight::cli {

/// Why a path that was given as data opens as none, and what to do.
Error noDatasetError(const std::string& path);

struct DataOptions {
  std::string folder;  ///< of the dataset; empty: as the config or the checkpoint says
  ParameterFlags flags;
  ClassMatching matching;  ///< of its classes with the model's

  void declare(CLI::App& command);
  /// Model and data: the weights' own Experiment, replaced by what --model says, then these
  /// options. Throws Failure.
  Experiment describe(const ModelSource& source) const;

 private:
  void declareMatching(CLI::App& command, const Parameter& parameter);
};

}  // namespace headlight::cli
