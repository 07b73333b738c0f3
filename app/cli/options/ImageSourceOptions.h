// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The options of commands that average over images, all of those that are named or of a dataset.

#include "app/cli/options/ImageSources.h"
#include "core/workbench/evaluation/ImageSource.h"

namespace headlight::cli {

struct ImageSourceOptions : ImageSources {
  /// --image, --samples. `ofMaps`: whether maps without a model will do.
  void declare(CLI::App& command, bool ofMaps = true);
  /// The images themselves, which need `session` as long as they are read. Throws Failure.
  ImageSource feed(InferenceSession& session) const;
};

/// Warns of every image that could not be read.
void warnOfUnread(const SourceCount& count, Terminal& terminal);

}  // namespace headlight::cli
