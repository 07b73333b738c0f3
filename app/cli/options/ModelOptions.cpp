// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/ModelOptions.h"

#include "app/cli/options/WeightsOptions.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/Numbers.h"
#include "core/base/ProgramFolder.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/models/Registry.h"
#include "core/workbench/loading/MapFile.h"
#include "core/workbench/loading/WeightsPlace.h"
#include "core/workbench/schemes/SchemeLibrary.h"

namespace headlight::cli {

namespace {

void declarePrompts(CLI::App& app, ModelOptions& options, const char* group) {
  app.add_option("--prompts", options.promptFile,
                 tr("Classes as texts, for the folder of a CLIP or SigLIP with its text tower and "
                    "tokenizer: a text file with one prompt per line"))
      ->type_name("FILE")
      ->group(group);
  app.add_option("--prompt", options.prompts,
                 tr("A prompt, such as \"a photo of a cat\"; give it several times for several"))
      ->type_name("TEXT")
      ->allow_extra_args(false)  // images may follow
      ->take_all()
      ->group(group);
  app.add_option("--prompt-template", options.source.prompts.pattern,
                 tr("Text around each prompt, which takes the place of {}: \"a photo of a {}\". "
                    "Datasets are matched with the prompts without it"))
      ->type_name("TEXT")
      ->group(group);
}

}  // namespace

void ModelOptions::declare(CLI::App& app) {
  const char* group = "Model";
  app.add_option("-m,--model", source.model,
                 tr("A published name (headlight-cli summary --list), a config, a Hugging Face hub "
                    "folder (headlight-cli models), or a checkpoint that contains its Experiment; "
                    "not needed if --weights is one of the last two"))
      ->type_name("NAME|FILE|FOLDER")
      ->group(group);
  app.add_option("-w,--weights", source.weights,
                 tr("Weights: .safetensors, .pth, .ckpt or .bin, or an index of shards; default: "
                    "random weights"))
      ->type_name("FILE")
      ->group(group);
  addTakeOption(app, source.take, group);
  addHeadsOption(app, source.heads, group);
  app.add_option("--class-names", source.classNames,
                 tr("Class names: a text file with one name per line, or JSON, a list or an object "
                    "from index to name (also transformers' id2label). Default: the names stored "
                    "with the weights, else, for 1000 classes, ImageNet-1k's"))
      ->type_name("FILE")
      ->group(group);
  declarePrompts(app, *this, group);
  app.add_option(
         "--image-size", imageSize,
         tr("Run the model at this image size in pixels, one number or HEIGHTxWIDTH, instead of "
            "its own; must be a multiple of the patch size. Position embeddings are resampled"))
      ->type_name("SIZE")
      ->group(group);
  addTransparencyOption(app, source.transparency, group);
  app.add_flag("--partial", source.partial,
               tr("Accept weights that are missing or of another shape: these tensors stay random. "
                  "Without it, this is an error"))
      ->group(group);
  app.add_option(
         "--masks", masks,
         tr("Masks of the heads: none, sch1, sch2, sch3, mixed36, hmait (sch2:5 for "
            "windows of 5), one mask for all heads (decay:0.9, strict:natten7d2), a saved scheme "
            "(headlight-cli schemes), a JSON file, or random-like:NAME@SEED of any of "
            "them; default: the model's own"))
      ->type_name("NAME|FILE")
      ->group(group);
  app.add_option("--device", source.device,
                 tr("auto (CUDA if available), cpu, cuda or cuda:N; default auto"))
      ->type_name("TEXT")
      ->group(group);
  app.add_option("--threads", source.threads, tr("CPU threads; default 0: as many as cores"))
      ->type_name("INT")
      ->check(CLI::Range(0, 1024).description(""))
      ->group(group);
  app.add_option("--seed", source.seed, tr("Seed of random weights; default 0"))
      ->type_name("INT")
      ->check(CLI::NonNegativeNumber.description(""))
      ->group(group);
}

void ModelOptions::require() const {
  if (source.model.empty() && source.weights.empty())
    refuseUsage("--model",
                tr("is missing; give a published name (headlight-cli summary --list) or a config, "
                   "or give --weights with a checkpoint that contains its model"));
}

void sayHowItOpened(const ModelInfo& info, Terminal& terminal) {
  if (info.randomWeights)
    terminal.warning(tr("the model's weights are random; give --weights for trained ones"));
  else if (!info.report.complete())
    terminal.warning(info.weights.string() + ": " + info.report.summary());
  else if (!info.report.resized.empty())
    terminal.note(info.weights.string() + ": " + info.report.summary());
  for (const auto& note : info.notes)
    terminal.note(note);
  if (info.classNamesFrom == ClassNamesFrom::ImageNet)
    terminal.note(tr("class names: ") + classNamesText(info));
}

namespace {

void addPrompts(const ModelOptions& options, ModelSource& source) {
  std::vector<std::string>& lines = source.prompts.lines;
  if (options.hasPrompts()) lines.clear();
  if (!options.promptFile.empty()) lines = valueOrThrow(readPromptLines(options.promptFile));
  lines.insert(lines.end(), options.prompts.begin(), options.prompts.end());
  if (lines.empty() && !source.prompts.pattern.empty())
    refuseUsage("--prompt-template", tr("needs prompts; give --prompts FILE or --prompt TEXT"));
}

}  // namespace

ModelSource ModelOptions::completeSource() const {
  ModelSource sized = source;
  addPrompts(*this, sized);
  sized.model = hereOrInstalled(sized.model).string();
  sized.weights = hereOrInstalled(sized.weights).string();
  if (imageSize.empty()) return sized;
  const auto size = parseImageSize(imageSize);
  if (!size)
    refuseUsage("--image-size " + imageSize,
                tr("must be one or two numbers of pixels from 8 to 4096, such as 518x700"));
  sized.imageHeight = size->height;
  sized.imageWidth = size->width == size->height ? 0 : size->width;
  return sized;
}

std::unique_ptr<InferenceSession> ModelOptions::open(Terminal& terminal) const {
  require();
  auto session = valueOrThrow(InferenceSession::open(completeSource()));
  if (session->info().isPrecomputed) throw Failure(needsModel(session->info().weights.string()));
  sayHowItOpened(session->info(), terminal);
  return session;
}

MaskScheme ModelOptions::masksFor(const ModelInfo& info) const {
  const MaskShape shape = makeMaskShape(info.experiment.model);
  if (masks.empty()) return valueOrThrow(resolveMasks(info.experiment.masks, shape));
  return masksFromOption(masks, shape);
}

MaskScheme masksFromOption(const std::string& masks, const MaskShape& shape) {
  return valueOrThrow(masksNamed(masks, shape, SchemeLibrary(SchemeLibrary::defaultFolder())));
}

Experiment experimentByName(const std::string& nameOrFile, int heads) {
  if (const PublishedModel* published = findPublishedModel(nameOrFile)) {
    Experiment experiment;
    experiment.name = published->name;
    experiment.model = published->config;
    experiment.masks.scheme = published->scheme;
    return experiment;
  }
  const std::string file = hereOrInstalled(nameOrFile).string();
  if (isThere(parseWeightsPlace(file).file)) return valueOrThrow(loadExperiment(file, heads));
  std::vector<std::string> names;
  for (const auto& model : publishedModels())
    names.push_back(model.name);
  const std::string close = closestName(nameOrFile, names);
  refuseUsage(nameOrFile, tr("is neither a published model nor a file; ") +
                              (close.empty() ? tr("headlight-cli summary --list names the models")
                                             : tr("did you mean \"") + close + "\"?"));
}

void printAlphas(const SoftAlphas& alphas, const std::string& indent, Terminal& terminal) {
  for (const auto& line : softAlphaLines(alphas))
    terminal.print(indent + tr("learned alpha  ") + line);
}

Json topJson(const std::vector<ClassScore>& top) {
  Json json = Json::array();
  for (const auto& score : top)
    json.push_back(
        {{"index", score.index}, {"name", score.name}, {"probability", score.probability}});
  return json;
}

Json modelJson(const ModelInfo& info, const MaskScheme& masks) {
  return {{"name", info.experiment.model.name},
          {"weights", info.weights.string()},
          {"weights_name", info.weightsName},
          {"random_weights", info.randomWeights},
          {"masks", masks.name()},
          {"masked_heads", masks.maskedHeads()},
          {"device", info.device},
          {"class_names", toText(info.classNamesFrom)}};
}

}  // namespace headlight::cli
