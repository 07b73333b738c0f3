#include "app/cli/FedPictures.h"

#include "app/cli/Command.h"
#include "app/cli/Inputs.h"

namespace headlight::cli {

void FedPictures::declare(CLI::App& command) {
  command
      .add_option("--image", images,
                  "Averaged over these pictures, or folders of them; or, without a model, over a "
                  "file of maps (FILE), or of one picture of it (FILE[2])")
      ->type_name("FILE");
  command
      .add_option("--samples", samples,
                  "Without --image: averaged over at most so many pictures of the data set's "
                  "validation split, spread over the classes; default 64, 0: all")
      ->type_name("INT")
      ->check(CLI::NonNegativeNumber.description(""));
}

void FedPictures::declareSources(CLI::App& command) {
  model.declare(command);
  data.declare(command);
}

void FedPictures::check() {
  maps = mapInput(images, model, "--image");
  if (!maps) model.require();
  if (!images.empty() && (!data.folder.empty() || !data.flags.empty()))
    refuseUsage("--image", "and --data are measurements of their own; give one of them");
}

std::unique_ptr<InferenceSession> FedPictures::open(Terminal& terminal) const {
  return maps ? openMaps(maps->file, model, terminal) : model.open(terminal);
}

PictureFeed FedPictures::feed(InferenceSession& session) const {
  if (maps) return feedOfMaps(session, maps->picture.value_or(-1));
  if (!images.empty()) return feedOf(expandPictures(images));
  return valueOrThrow(feedOf(session.info(), {data.describe(model.source).data, samples}));
}

void warnOfUnread(const FedCount& count, Terminal& terminal) {
  for (const std::string& problem : count.unread)
    terminal.warning(problem);
}

}  // namespace headlight::cli
