#pragma once
// The options of commands that average over pictures, all of those that are named or of a data set.

#include "app/cli/PictureSources.h"
#include "core/workbench/PictureFeed.h"

namespace headlight::cli {

struct FedPictures : PictureSources {
  void declare(CLI::App& command);  ///< --image, --samples
  /// The pictures themselves, which need `session` as long as they are read. Throws Failure.
  PictureFeed feed(InferenceSession& session) const;
};

/// Warns of every picture that could not be read.
void warnOfUnread(const FedCount& count, Terminal& terminal);

}  // namespace headlight::cli
