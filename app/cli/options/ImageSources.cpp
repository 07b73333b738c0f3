// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/ImageSources.h"

#include "app/cli/terminal/Command.h"
#include "core/base/Translation.h"

namespace headlight::cli {

void ImageSources::declare(CLI::App& command, const char* help) {
  command.add_option("--image", images, help)->type_name("FILE");
  command
      .add_option("--samples", samples,
                  tr("Without --image: average over at most this many images of the validation "
                     "split, spread over the classes; default 64, 0: all"))
      ->type_name("INT")
      ->check(CLI::NonNegativeNumber.description(""));
}

void ImageSources::declareSources(CLI::App& command) {
  model.declare(command);
  data.declare(command);
}

void ImageSources::check() {
  maps = mapInput(images, model, "--image");
  if (!maps) model.require();
  if (!images.empty() && (!data.folder.empty() || !data.flags.empty() || data.matching.isChosen()))
    refuseUsage("--image", tr("cannot be combined with --data; give one of them"));
}

std::unique_ptr<InferenceSession> ImageSources::open(Terminal& terminal) const {
  return maps ? openMaps(maps->file, model, terminal) : model.open(terminal);
}

ImageSample ImageSources::sample() const {
  if (!images.empty()) return {};
  return {data.describe(model.source).data, samples, data.matching};
}

}  // namespace headlight::cli
