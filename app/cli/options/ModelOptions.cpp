// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/ModelOptions.h"

#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/Numbers.h"
#include "core/base/files/Files.h"
#include "core/models/Registry.h"
#include "core/workbench/loading/MapFile.h"
#include "core/workbench/session/SchemeLibrary.h"

namespace headlight::cli {

void ModelOptions::declare(CLI::App& app) {
  const char* group = "Model";
  app.add_option(
         "-m,--model", source.model,
         "A published name (headlight-cli summary --list), a config, a folder of the Hugging "
         "Face hub (headlight-cli models), or a checkpoint that carries its Experiment; not "
         "needed where --weights is one of the last two")
      ->type_name("NAME|FILE|FOLDER")
      ->group(group);
  app.add_option("-w,--weights", source.weights,
                 "Weights, .safetensors or .pth; without them the model's are random")
      ->type_name("FILE")
      ->group(group);
  app.add_option(
         "--class-names", source.classNames,
         "What the classes are called: a text file with a name a line, or JSON, a list or an "
         "object from index to name (transformers' id2label, too); default: the names that "
         "come with the weights, else, of 1000 classes, ImageNet-1k's")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--image-size", imageSize,
                 "Look at pictures of so many pixels, one number or HEIGHTxWIDTH, in place of the "
                 "model's own; patches must divide it. Position embeddings are resampled")
      ->type_name("SIZE")
      ->group(group);
  app.add_flag("--partial", source.partial,
               "Go on where weights are missing or of another shape: those stay random. Without it "
               "that is an error")
      ->group(group);
  app.add_option(
         "--masks", masks,
         "Where heads may look: none, sch1, sch2, sch3, mixed36, hmait (sch2:5 for windows of 5), "
         "a scheme that is kept (headlight-cli schemes), a JSON file, or random-like:NAME@SEED of "
         "any of them; default: as the model says")
      ->type_name("NAME|FILE")
      ->group(group);
  app.add_option("--device", source.device,
                 "auto (CUDA if there is one), cpu, cuda or cuda:N; default auto")
      ->type_name("TEXT")
      ->group(group);
  app.add_option("--threads", source.threads, "CPU threads; default 0: as many as cores")
      ->type_name("INT")
      ->check(CLI::Range(0, 1024).description(""))
      ->group(group);
  app.add_option("--seed", source.seed, "What random weights are drawn from; default 0")
      ->type_name("INT")
      ->check(CLI::NonNegativeNumber.description(""))
      ->group(group);
}

void ModelOptions::require() const {
  if (source.model.empty() && source.weights.empty())
    refuseUsage("--model",
                "is missing; give a published name (headlight-cli summary --list) or a "
                "config, or give --weights with a checkpoint that carries its model");
}

void sayHowItOpened(const ModelInfo& info, Terminal& terminal) {
  if (info.randomWeights)
    terminal.warning("the model's weights are random; give --weights for trained ones");
  else if (!info.report.complete())
    terminal.warning(info.weights.string() + ": " + info.report.summary());
  else if (!info.report.resized.empty())
    terminal.note(info.weights.string() + ": " + info.report.summary());
  for (const auto& note : info.notes)
    terminal.note(note);
  if (info.classNamesFrom == ClassNamesFrom::ImageNet)
    terminal.note("class names: " + classNamesText(info));
}

ModelSource ModelOptions::sizedSource() const {
  ModelSource sized = source;
  if (imageSize.empty()) return sized;
  const auto size = pictureSize(imageSize);
  if (!size)
    refuseUsage("--image-size " + imageSize,
                "must be a number of pixels from 8 to 4096, or two, such as 518x700");
  sized.imageHeight = size->height;
  sized.imageWidth = size->width == size->height ? 0 : size->width;
  return sized;
}

std::unique_ptr<InferenceSession> ModelOptions::open(Terminal& terminal) const {
  require();
  auto session = valueOrThrow(InferenceSession::open(sizedSource()));
  if (session->info().isPrecomputed) throw Failure(needsModel(session->info().weights.string()));
  sayHowItOpened(session->info(), terminal);
  return session;
}

MaskScheme ModelOptions::masksFor(const ModelInfo& info) const {
  const MaskShape shape = maskShapeOf(info.experiment.model);
  if (masks.empty()) return valueOrThrow(resolveMasks(info.experiment.masks, shape));
  return masksFromOption(masks, shape);
}

MaskScheme masksFromOption(const std::string& masks, const MaskShape& shape) {
  return valueOrThrow(masksNamed(masks, shape, SchemeLibrary(SchemeLibrary::defaultFolder())));
}

Experiment experimentByName(const std::string& nameOrFile) {
  if (const PublishedModel* published = findPublishedModel(nameOrFile)) {
    Experiment experiment;
    experiment.name = published->name;
    experiment.model = published->config;
    experiment.masks.scheme = published->scheme;
    return experiment;
  }
  if (isThere(nameOrFile)) return valueOrThrow(experimentOf(nameOrFile));
  std::vector<std::string> names;
  for (const auto& model : publishedModels())
    names.push_back(model.name);
  const std::string close = closestName(nameOrFile, names);
  refuseUsage(nameOrFile, "is neither a published model nor a file; " +
                              (close.empty() ? "headlight-cli summary --list names the models"
                                             : "did you mean \"" + close + "\"?"));
}

void printAlphas(const SoftAlphas& alphas, const std::string& indent, Terminal& terminal) {
  for (const auto& line : softAlphaLines(alphas))
    terminal.print(indent + "learned alpha  " + line);
}

Json topJson(const std::vector<ClassScore>& top) {
  Json json = Json::array();
  for (const auto& score : top)
    json.push_back(
        {{"index", score.index}, {"name", score.name}, {"probability", score.probability}});
  return json;
}

Json modelJson(const ModelInfo& info, const MaskScheme& masks) {
  return {{"name", info.experiment.model.name},        {"weights", info.weights.string()},
          {"random_weights", info.randomWeights},      {"masks", masks.name()},
          {"masked_heads", masks.maskedHeads()},       {"device", info.device},
          {"class_names", toText(info.classNamesFrom)}};
}

}  // namespace headlight::cli
