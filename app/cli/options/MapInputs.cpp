// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/MapInputs.h"

#include "app/cli/terminal/Command.h"
#include "core/base/Translation.h"
#include "core/workbench/loading/Input.h"

namespace headlight::cli {
namespace {

std::string addressIn(const MapInput& input, int image) {
  return MapPlace{input.file, image}.text();
}

Image requireImageOf(const MapInput& input, int index, InferenceSession& session) {
  Image image = session.imageAt(addressIn(input, index));
  if (image.empty())
    throw Failure({ErrorCode::InvalidArgument,
                   tr("is not there: the file has ") + std::to_string(session.info().images) +
                       (session.info().images == 1 ? tr(" image") : tr(" images")) +
                       tr(", counted from 0"),
                   addressIn(input, index)});
  return image;
}

}  // namespace

std::optional<MapInput> mapInput(const std::string& argument) {
  if (isMapFile(argument)) return MapInput{argument, std::nullopt};
  const auto place = parseMapPlace(argument);
  if (isThere(argument) || !place || !isMapFile(place->file)) return std::nullopt;
  return MapInput{place->file, place->image};
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
    refuseUsage(flag, tr("takes either one map file (or one image of it, FILE[0]) or images"));
  if (!model.source.model.empty() || !model.source.weights.empty())
    refuseUsage(flag,
                input->file.string() +
                    tr(" contains maps, which need no model; leave out --model and --weights, "
                       "or give the model to compare --other-model"));
  if (!model.masks.empty())
    refuseUsage("--masks", tr("cannot be applied to a map file; give the model instead"));
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
    terminal.note(tr("class names: ") + classNamesText(session->info()));
  return session;
}

void forEachMapImage(const MapInput& input, InferenceSession& session,
                     const std::function<void(const std::string&, const Image&)>& use) {
  const int first = input.image.value_or(0);
  const int last = input.image.value_or(session.info().images - 1);
  for (int image = first; image <= last; ++image)
    use(addressIn(input, image), requireImageOf(input, image, session));
}

Image mapImage(const MapInput& input, InferenceSession& session) {
  if (!input.image && session.info().images > 1)
    refuseUsage(input.file.string(), tr("has ") + std::to_string(session.info().images) +
                                         tr(" images; choose one, such as ") + addressIn(input, 0));
  return requireImageOf(input, input.image.value_or(0), session);
}

Image mapImage(const MapInput& input) {
  const MapFile file = valueOrThrow(readMapFile(input.file));
  if (!file.info().hasImages)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("has maps but no image for a model; give the image with --other-image"),
                   input.file.string()});
  if (!input.image && file.info().images > 1)
    refuseUsage(input.file.string(),
                tr("has several images; choose one, such as ") + addressIn(input, 0));
  return valueOrThrow(file.image(input.image.value_or(0)));
}

std::filesystem::path imageFile(const std::filesystem::path& image) {
  const auto place = parseMapPlace(image.filename().string());
  if (!place) return image;
  return place->file.stem().string() + "-" + std::to_string(place->image) + ".png";
}

}  // namespace headlight::cli
