// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The options that say what to train: a config, and what the command line says over it.

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

#include "app/cli/options/ParameterFlags.h"
#include "core/config/Experiment.h"

namespace headlight::cli {

struct ExperimentOptions {
  std::string config, model, weights, take, masks, recipe;
  ParameterFlags flags;

  /// --model, --weights, --take, --masks, --recipe; the flags of all parameters come last.
  void declare(CLI::App& command);
  void declareFlags(CLI::App& command);

  /// Whether nothing but perhaps `config` was given.
  bool changesNothing() const;
  /// The config, or in its place `base`, then what the command line says over it. Checked as one;
  /// throws Failure.
  Experiment describe(const std::optional<Json>& base = std::nullopt) const;
};

}  // namespace headlight::cli
