// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/ImageSourceOptions.h"

#include "app/cli/options/Inputs.h"
#include "core/base/Translation.h"

namespace headlight::cli {

void ImageSourceOptions::declare(CLI::App& command, bool ofMaps) {
  ImageSources::declare(command,
                        ofMaps ? tr("Average over these images or image folders; or, without a "
                                    "model, over a map file (FILE) or one image of it (FILE[2])")
                               : tr("Average over these images or image folders"));
}

ImageSource ImageSourceOptions::feed(InferenceSession& session) const {
  if (maps) return feedOfMaps(session, maps->image.value_or(-1));
  if (!images.empty()) return makeImageSource(expandImages(images));
  return valueOrThrow(makeImageSource(session.info(), sample()));
}

void warnOfUnread(const SourceCount& count, Terminal& terminal) {
  for (const std::string& problem : count.unread)
    terminal.warning(problem);
}

}  // namespace headlight::cli
