#include "app/cli/MeasuredPictures.h"

#include "app/cli/Command.h"
#include "app/cli/ExitCodes.h"
#include "app/cli/Inputs.h"

namespace headlight::cli {

void MeasuredPictures::declare(CLI::App& command) {
  command
      .add_option(
          "--image", images,
          "Of each of these pictures, or folders of them; or, without a model, of a file of "
          "maps (FILE), or one picture of it (FILE[2])")
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

void MeasuredPictures::check() {
  maps = mapInput(images, model, "--image");
  if (!maps) model.require();
  keep.check();
  if (!images.empty() && (!data.folder.empty() || !data.flags.empty()))
    refuseUsage("--image", "and --data are measurements of their own; give one of them");
  if (keep.keep && !images.empty())
    refuseUsage("--keep", "keeps averages over a data set; leave out --image");
}

std::unique_ptr<InferenceSession> MeasuredPictures::open(Terminal& terminal) const {
  return maps ? openMaps(maps->file, model, terminal) : model.open(terminal);
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

PictureSample MeasuredPictures::sample() const {
  if (!images.empty()) return {};
  return {data.describe(model.source).data, samples};
}

}  // namespace headlight::cli
