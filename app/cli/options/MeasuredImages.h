// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The options of commands that measure a model on images: of each image that is named, or
// averaged over a dataset, which may be kept.

#include "app/cli/options/CacheOptions.h"
#include "app/cli/options/ImageSources.h"

namespace headlight::cli {

struct MeasuredImages : ImageSources {
  CacheOptions keep;

  void declare(CLI::App& command);  ///< --image, --samples
  /// What can be said before the model is loaded. Throws Failure.
  void check();
  /// Whether maps of several images are meant.
  bool severalMaps(const InferenceSession& session) const;
  /// forEachImage() of `images`, or the images of the maps.
  int forEach(const std::vector<std::filesystem::path>& images, bool strict,
              InferenceSession& session, Terminal& terminal,
              const std::function<void(const std::filesystem::path&, const Image&)>& use) const;
};

/// What commands print of it with --json: the model, the results, and the file that was written,
/// null where there is none.
Json imageResultsJson(const ModelInfo& info, const MaskScheme& masks, const Json& results,
                      const std::string& output);

}  // namespace headlight::cli
