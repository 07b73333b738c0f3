// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The options that say which images a command is to work on: files and folders, a file of maps,
// or a dataset.

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/options/DataOptions.h"
#include "app/cli/options/MapInputs.h"
#include "app/cli/options/ModelOptions.h"
#include "core/workbench/evaluation/ImageSample.h"

namespace headlight::cli {

struct ImageSources {
  std::vector<std::string> images;
  std::int64_t samples = 64;
  ModelOptions model;
  DataOptions data;
  std::optional<MapInput> maps;  ///< in place of images and a model; check() finds it

  /// --image, of which `help` says what is done with them, and --samples.
  void declare(CLI::App& command, const char* help);
  void declareSources(CLI::App& command);  ///< those of model and data, which come last
  /// What can be said before the model is loaded. Throws Failure.
  void check();
  /// The model, or the maps.
  std::unique_ptr<InferenceSession> open(Terminal& terminal) const;
  /// Those of a dataset; without any where images are named. Throws Failure.
  ImageSample sample() const;
};

}  // namespace headlight::cli
