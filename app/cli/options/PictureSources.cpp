// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/PictureSources.h"

#include "app/cli/terminal/Command.h"

namespace headlight::cli {

void PictureSources::declare(CLI::App& command, const char* help) {
  command.add_option("--image", images, help)->type_name("FILE");
  command
      .add_option("--samples", samples,
                  "Without --image: averaged over at most so many pictures of the data set's "
                  "validation split, spread over the classes; default 64, 0: all")
      ->type_name("INT")
      ->check(CLI::NonNegativeNumber.description(""));
}

void PictureSources::declareSources(CLI::App& command) {
  model.declare(command);
  data.declare(command);
}

void PictureSources::check() {
  maps = mapInput(images, model, "--image");
  if (!maps) model.require();
  if (!images.empty() && (!data.folder.empty() || !data.flags.empty() || data.matching.isChosen()))
    refuseUsage("--image", "and --data are measurements of their own; give one of them");
}

std::unique_ptr<InferenceSession> PictureSources::open(Terminal& terminal) const {
  return maps ? openMaps(maps->file, model, terminal) : model.open(terminal);
}

PictureSample PictureSources::sample() const {
  if (!images.empty()) return {};
  return {data.describe(model.source).data, samples, data.matching};
}

}  // namespace headlight::cli
