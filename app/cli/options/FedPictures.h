// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The options of commands that average over pictures, all of those that are named or of a data set.

#include "app/cli/options/PictureSources.h"
#include "core/workbench/evaluation/ImageSource.h"

namespace headlight::cli {

struct FedPictures : PictureSources {
  /// --image, --samples. `ofMaps`: whether maps without a model will do.
  void declare(CLI::App& command, bool ofMaps = true);
  /// The pictures themselves, which need `session` as long as they are read. Throws Failure.
  ImageSource feed(InferenceSession& session) const;
};

/// Warns of every picture that could not be read.
void warnOfUnread(const FedCount& count, Terminal& terminal);

}  // namespace headlight::cli
