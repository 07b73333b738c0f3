#pragma once
// The options of commands that average over pictures: files and folders, a file of maps, or a data
// set.

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/DataOptions.h"
#include "app/cli/MapInputs.h"
#include "app/cli/ModelOptions.h"
#include "core/workbench/PictureFeed.h"

namespace headlight::cli {

struct FedPictures {
  std::vector<std::string> images;
  std::int64_t samples = 64;
  ModelOptions model;
  DataOptions data;
  std::optional<MapInput> maps;  ///< in place of pictures and a model; check() finds it

  void declare(CLI::App& command);         ///< --image, --samples
  void declareSources(CLI::App& command);  ///< those of model and data, which come last
  /// What can be said before the model is loaded. Throws Failure.
  void check();
  /// The model, or the maps.
  std::unique_ptr<InferenceSession> open(Terminal& terminal) const;
  /// The pictures themselves, which need `session` as long as they are read. Throws Failure.
  PictureFeed feed(InferenceSession& session) const;
};

/// Warns of every picture that could not be read.
void warnOfUnread(const FedCount& count, Terminal& terminal);

}  // namespace headlight::cli
