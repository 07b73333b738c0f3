// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/MapInputs.h"

#include "app/cli/terminal/Command.h"
#include "core/base/files/Files.h"

namespace headlight::cli {
namespace {

std::string addressIn(const MapInput& input, int picture) {
  return MapPlace{input.file, picture}.text();
}

Image requirePictureOf(const MapInput& input, int picture, InferenceSession& session) {
  const Image image = session.pictureAt(addressIn(input, picture));
  if (image.empty())
    throw Failure({ErrorCode::InvalidArgument,
                   "is not there: the file has " + std::to_string(session.info().pictures) +
                       (session.info().pictures == 1 ? " picture" : " pictures") +
                       ", counted from 0",
                   addressIn(input, picture)});
  return image;
}

}  // namespace

std::optional<MapInput> mapInput(const std::string& argument) {
  if (isMapFile(argument)) return MapInput{argument, std::nullopt};
  const auto place = mapPlaceOf(argument);
  if (isThere(argument) || !place || !isMapFile(place->file)) return std::nullopt;
  return MapInput{place->file, place->picture};
}

std::optional<MapInput> mapInput(const std::vector<std::string>& arguments,
                                 const ModelOptions& model, const std::string& flag) {
  std::optional<MapInput> input;
  for (const std::string& argument : arguments) {
    const auto maps = mapInput(argument);
    if (maps) input = maps;
  }
  if (!input) return std::nullopt;
  if (arguments.size() > 1)
    refuseUsage(flag, "takes one file of maps (or one picture of it, FILE[0]), or pictures");
  if (!model.source.model.empty() || !model.source.weights.empty())
    refuseUsage(flag, input->file.string() +
                          " holds maps, which need no model; leave out --model and --weights, or "
                          "set the model beside them by compare --other-model");
  if (!model.masks.empty())
    refuseUsage("--masks", "cannot be applied to maps of a file; give the model itself");
  return input;
}

std::unique_ptr<InferenceSession> openMaps(const std::filesystem::path& file,
                                           const ModelOptions& model, Terminal& terminal) {
  ModelSource source;
  source.weights = file;
  source.classNames = model.source.classNames;
  auto session = valueOrThrow(InferenceSession::open(source));
  for (const std::string& note : session->info().notes)
    terminal.note(file.filename().string() + ": " + note);
  if (session->info().classNamesFrom == ClassNamesFrom::ImageNet)
    terminal.note("class names: " + classNamesText(session->info()));
  return session;
}

void forEachMapPicture(const MapInput& input, InferenceSession& session,
                       const std::function<void(const std::string&, const Image&)>& use) {
  const int first = input.picture.value_or(0);
  const int last = input.picture.value_or(session.info().pictures - 1);
  for (int picture = first; picture <= last; ++picture)
    use(addressIn(input, picture), requirePictureOf(input, picture, session));
}

Image mapPicture(const MapInput& input, InferenceSession& session) {
  if (!input.picture && session.info().pictures > 1)
    refuseUsage(input.file.string(), "has " + std::to_string(session.info().pictures) +
                                         " pictures; say which, such as " + addressIn(input, 0));
  return requirePictureOf(input, input.picture.value_or(0), session);
}

Image mapPicture(const MapInput& input) {
  const MapFile file = valueOrThrow(readMapFile(input.file));
  if (!file.info().hasImages)
    throw Failure({ErrorCode::InvalidArgument,
                   "has maps but no picture that a model could look at; give the picture itself by "
                   "--other-picture",
                   input.file.string()});
  if (!input.picture && file.info().pictures > 1)
    refuseUsage(input.file.string(),
                "has several pictures; say which, such as " + addressIn(input, 0));
  return valueOrThrow(file.picture(input.picture.value_or(0)));
}

std::filesystem::path pictureFile(const std::filesystem::path& picture) {
  const auto place = mapPlaceOf(picture.filename().string());
  if (!place) return picture;
  return place->file.stem().string() + "-" + std::to_string(place->picture) + ".png";
}

}  // namespace headlight::cli
