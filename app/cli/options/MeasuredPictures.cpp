// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/MeasuredPictures.h"

#include "app/cli/options/Inputs.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"

namespace headlight::cli {

void MeasuredPictures::declare(CLI::App& command) {
  PictureSources::declare(
      command,
      "Of each of these pictures, or folders of them; or, without a model, of a file of "
      "maps (FILE), or one picture of it (FILE[2])");
}

void MeasuredPictures::check() {
  PictureSources::check();
  keep.check();
  if (keep.keep && !images.empty())
    refuseUsage("--keep", "keeps averages over a data set; leave out --image");
}

bool MeasuredPictures::severalMaps(const InferenceSession& session) const {
  return maps && !maps->picture && session.info().pictures > 1;
}

int MeasuredPictures::forEach(
    const std::vector<std::filesystem::path>& pictures, bool strict, InferenceSession& session,
    Terminal& terminal,
    const std::function<void(const std::filesystem::path&, const Image&)>& use) const {
  if (!maps) return forEachPicture(pictures, strict, terminal, use);
  forEachMapPicture(*maps, session, use);
  return kExitOk;
}

}  // namespace headlight::cli
