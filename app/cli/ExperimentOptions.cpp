#include "app/cli/ExperimentOptions.h"

#include <filesystem>

#include "app/cli/ModelOptions.h"
#include "app/cli/RecipeList.h"
#include "core/base/Files.h"
#include "core/config/ConfigPaths.h"
#include "core/config/ConfigText.h"
#include "core/config/Recipes.h"
#include "core/models/Registry.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxConfigBytes = 16u << 20;

/// Flags need an object to go into; of anything else the reader says what it is. Throws Failure.
Json configJson(const std::string& config) {
  const std::string text = valueOrThrow(readFile(config, kMaxConfigBytes));
  Json json = valueOrThrow(parseConfigJson(text, config));
  if (!json.is_object()) valueOrThrow(experimentFromText(text, config, modelCatalogue()));
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

}  // namespace

void ExperimentOptions::declare(CLI::App& command) {
  command
      .add_option("-m,--model", model,
                  "Use this model's shape in place of the config's: a published name or a "
                  "config")
      ->type_name("NAME|FILE");
  command.add_option("-w,--weights", weights, "Start from this checkpoint")->type_name("FILE");
  command
      .add_option(
          "--masks", masks,
          "Where heads may look: none, sch1, sch2, sch3, mixed36, hmait (sch2:5 for windows "
          "of 5), or a JSON file")
      ->type_name("NAME|FILE");
  command.add_option("--recipe", recipe, recipeHelp())->type_name("NAME");
}

void ExperimentOptions::declareFlags(CLI::App& command) {
  flags.declare(command, {"", "model", "masks", "data", "training", "telemetry"});
}

bool ExperimentOptions::changesNothing() const {
  return model.empty() && weights.empty() && masks.empty() && recipe.empty() && flags.empty();
}

Experiment ExperimentOptions::describe(const std::optional<Json>& base) const {
  Json json = base.value_or(Json::object());
  if (!base && !config.empty()) json = configJson(config);
  if (!model.empty()) replaceModel(json, model);
  if (!weights.empty()) json["training"]["weights"] = weights;
  if (!recipe.empty()) valueOrThrow(applyRecipe(json, recipe));
  flags.apply(json);
  if (!masks.empty()) json.erase("masks");  // they need not fit this model, and are not used
  Experiment experiment = valueOrThrow(experimentFromText(
      jsonText(json), config.empty() ? "command line" : config, modelCatalogue()));
  if (!masks.empty())
    experiment.masks = describeMasks(masksFromOption(masks, maskShapeOf(experiment.model)));
  return experiment;
}

}  // namespace headlight::cli
