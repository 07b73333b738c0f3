// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/FedPictures.h"

#include "app/cli/options/Inputs.h"

namespace headlight::cli {

void FedPictures::declare(CLI::App& command, bool ofMaps) {
  PictureSources::declare(
      command, ofMaps
                   ? "Averaged over these pictures, or folders of them; or, without a model, over "
                     "a file of maps (FILE), or of one picture of it (FILE[2])"
                   : "Averaged over these pictures, or folders of them");
}

ImageSource FedPictures::feed(InferenceSession& session) const {
  if (maps) return feedOfMaps(session, maps->picture.value_or(-1));
  if (!images.empty()) return feedOf(expandPictures(images));
  return valueOrThrow(feedOf(session.info(), sample()));
}

void warnOfUnread(const FedCount& count, Terminal& terminal) {
  for (const std::string& problem : count.unread)
    terminal.warning(problem);
}

}  // namespace headlight::cli
