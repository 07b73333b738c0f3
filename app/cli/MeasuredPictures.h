#pragma once
// The options of commands that measure a model on pictures: of each picture that is named, or
// averaged over a data set, which may be kept.

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "app/cli/DataOptions.h"
#include "app/cli/KeepOptions.h"
#include "app/cli/ModelOptions.h"

namespace headlight::cli {

struct MeasuredPictures {
  std::vector<std::string> images;
  std::int64_t samples = 64;
  ModelOptions model;
  DataOptions data;
  KeepOptions keep;

  void declare(CLI::App& command);         ///< --image, --samples
  void declareSources(CLI::App& command);  ///< those of model and data, which come last
  /// What can be said before the model is loaded. Throws Failure.
  void check() const;
  /// The pictures to average over; without any where pictures are named. Throws Failure.
  PictureSample sample() const;
};

}  // namespace headlight::cli
