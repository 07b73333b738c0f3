#pragma once
// The options of commands that measure a model on pictures: of each picture that is named, or
// averaged over a data set, which may be kept.

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "app/cli/DataOptions.h"
#include "app/cli/KeepOptions.h"
#include "app/cli/MapInputs.h"
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
  std::optional<MapInput> maps;            ///< in place of pictures and a model; check() finds it

  /// What can be said before the model is loaded. Throws Failure.
  void check();
  /// The model, or the maps.
  std::unique_ptr<InferenceSession> open(Terminal& terminal) const;
  /// Whether maps of several pictures are meant.
  bool severalMaps(const InferenceSession& session) const;
  /// forEachPicture() of `pictures`, or the pictures of the maps.
  int forEach(const std::vector<std::filesystem::path>& pictures, bool strict,
              InferenceSession& session, Terminal& terminal,
              const std::function<void(const std::filesystem::path&, const Image&)>& use) const;
  /// The pictures to average over; without any where pictures are named. Throws Failure.
  PictureSample sample() const;
};

}  // namespace headlight::cli
