// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The options of commands that measure a model on pictures: of each picture that is named, or
// averaged over a data set, which may be kept.

#include "app/cli/options/KeepOptions.h"
#include "app/cli/options/PictureSources.h"

namespace headlight::cli {

struct MeasuredPictures : PictureSources {
  KeepOptions keep;

  void declare(CLI::App& command);  ///< --image, --samples
  /// What can be said before the model is loaded. Throws Failure.
  void check();
  /// Whether maps of several pictures are meant.
  bool severalMaps(const InferenceSession& session) const;
  /// forEachPicture() of `pictures`, or the pictures of the maps.
  int forEach(const std::vector<std::filesystem::path>& pictures, bool strict,
              InferenceSession& session, Terminal& terminal,
              const std::function<void(const std::filesystem::path&, const Image&)>& use) const;
};

}  // namespace headlight::cli
