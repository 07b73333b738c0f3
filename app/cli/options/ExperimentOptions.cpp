// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/ExperimentOptions.h"

#include <filesystem>

#include "app/cli/options/ModelOptions.h"
#include "app/cli/options/RecipeList.h"
#include "app/cli/options/WeightsOptions.h"
#include "app/cli/terminal/Command.h"
#include "core/base/Log.h"
#include "core/base/ProgramFolder.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/config/ConfigPaths.h"
#include "core/config/ConfigText.h"
#include "core/config/Recipes.h"
#include "core/models/Registry.h"
#include "core/workbench/loading/Input.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxConfigBytes = 16u << 20;

/// Flags need an object to go into; of anything else the reader says what it is. Throws Failure.
Json configJson(const std::string& given) {
  const std::string config = hereOrInstalled(given).string();
  const std::string text = valueOrThrow(readFile(config, kMaxConfigBytes));
  Json json = valueOrThrow(parseConfigJson(text, config));
  if (!json.is_object()) valueOrThrow(experimentFromText(text, config, modelCatalog()));
  findPathsBeside(json, fs::absolute(config).parent_path());
  return json;
}

void replaceModel(Json& json, const std::string& model) {
  const Json named = experimentToJson(experimentByName(model));
  json["model"] = named["model"];
  // Cells are of the config's own model.
  if (json.contains("masks") && json["masks"].is_object()) json["masks"].erase("cells");
  if (!json.contains("name")) json["name"] = named["name"];
}

bool namesWeights(const Json& json) {
  if (!json.contains("training")) return false;
  const Json& training = json["training"];  // of what is no object the reader says so
  return !training.is_object() || (training.contains("weights") && training["weights"] != Json(""));
}

/// `named`: the weights that --model brings along.
void sayStart(const std::string& weights, const std::string& named) {
  if (weights == named)
    logInfo(tr("starts from the weights of ") + named + tr(", which --model names"));
  else
    logInfo(tr("starts from ") + (weights.empty() ? std::string(tr("random numbers")) : weights) +
            tr(", not from the weights of ") + named + tr(", which --model names"));
}

}  // namespace

void ExperimentOptions::declare(CLI::App& command) {
  command
      .add_option(
          "-m,--model", model,
          tr("Use this model instead of the config's: a published name or a config; or a "
             "Hugging Face hub folder or a checkpoint, whose weights the training starts from "
             "unless --weights or the config names others"))
      ->type_name("NAME|FILE|FOLDER");
  command
      .add_option(
          "-w,--weights", weights,
          tr("Start from this checkpoint. At least half of the model's tensors must fit, not "
             "counting head and position tables"))
      ->type_name("FILE");
  addTakeOption(command, take);
  command
      .add_option(
          "--masks", masks,
          tr("Masks of the heads: none, sch1, sch2, sch3, mixed36, hmait (sch2:5 for windows "
             "of 5), or a JSON file"))
      ->type_name("NAME|FILE");
  command.add_option("--recipe", recipe, recipeHelp())->type_name("NAME");
}

void ExperimentOptions::declareFlags(CLI::App& command) {
  flags.declare(command, {"", "model", "masks", "data", "training", "telemetry"});
}

bool ExperimentOptions::changesNothing() const {
  return model.empty() && weights.empty() && take.empty() && masks.empty() && recipe.empty() &&
         flags.empty();
}

Experiment ExperimentOptions::describe(const std::optional<Json>& base) const {
  Json json = base.value_or(Json::object());
  if (!base && !config.empty()) json = configJson(config);
  if (!model.empty()) replaceModel(json, model);
  const std::string named = weights.empty() ? weightsOfNamedModel(model) : std::string();
  const bool takesNamed = !named.empty() && !namesWeights(json);
  if (!take.empty() && weights.empty()) refuseUsage("--take", tr("needs --weights"));
  if (!weights.empty()) json["training"]["weights"] = takenFrom(weights, take);
  if (takesNamed) json["training"]["weights"] = named;
  if (!recipe.empty()) valueOrThrow(applyRecipe(json, recipe));
  flags.apply(json);
  if (!masks.empty()) json.erase("masks");  // they need not fit this model, and are not used
  Experiment experiment = valueOrThrow(
      experimentFromText(jsonText(json), config.empty() ? "command line" : config, modelCatalog()));
  if (!masks.empty())
    experiment.masks = describeMasks(masksFromOption(masks, makeMaskShape(experiment.model)));
  if (!named.empty()) sayStart(experiment.training.weights, named);
  return experiment;
}

}  // namespace headlight::cli
