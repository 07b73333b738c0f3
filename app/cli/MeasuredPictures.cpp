#include "app/cli/MeasuredPictures.h"

#include "app/cli/Command.h"

namespace headlight::cli {

void MeasuredPictures::declare(CLI::App& command) {
  command.add_option("--image", images, "Of each of these pictures, or folders of them")
      ->type_name("FILE");
  command
      .add_option("--samples", samples,
                  "Without --image: averaged over at most so many pictures of the data set's "
                  "validation split, spread over the classes; default 64, 0: all")
      ->type_name("INT")
      ->check(CLI::NonNegativeNumber.description(""));
}

void MeasuredPictures::declareSources(CLI::App& command) {
  model.declare(command);
  data.declare(command);
}

void MeasuredPictures::check() const {
  model.require();
  keep.check();
  if (!images.empty() && (!data.folder.empty() || !data.flags.empty()))
    refuseUsage("--image", "and --data are measurements of their own; give one of them");
  if (keep.keep && !images.empty())
    refuseUsage("--keep", "keeps averages over a data set; leave out --image");
}

PictureSample MeasuredPictures::sample() const {
  if (!images.empty()) return {};
  return {data.describe(model.source).data, samples};
}

}  // namespace headlight::cli
