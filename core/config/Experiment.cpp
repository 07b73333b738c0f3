// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/Experiment.h"

#include <algorithm>
#include <functional>

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/config/ConfigPaths.h"
#include "core/config/ConfigText.h"
#include "core/config/ExperimentTask.h"
#include "core/config/MasksJson.h"
#include "core/config/Migration.h"
#include "core/config/Reading.h"
#include "core/config/RunId.h"

namespace headlight {
namespace {

constexpr std::size_t kMaxConfigBytes = 16u << 20;

void require(Result<void> outcome) {
  if (!outcome) throw Failure(outcome.error());
}

std::vector<ScheduledEdit> readEdits(const Json& json) {
  std::vector<ScheduledEdit> edits;
  if (!json.contains("edits")) return edits;
  if (!json["edits"].is_array()) throw Failure(invalidConfig(tr("must be a list"), "edits"));
  if (json["edits"].size() > Experiment::kMaxEdits)
    throw Failure(invalidConfig(tr("has more than ") + std::to_string(Experiment::kMaxEdits) +
                                    tr(" edits, the limit for a run"),
                                "edits"));
  for (std::size_t i = 0; i < json["edits"].size(); ++i) {
    const Json& item = json["edits"][i];
    const std::string path = "edits[" + std::to_string(i) + "]";
    if (!item.is_object() || !item.contains("step") || !item["step"].is_number_integer() ||
        item["step"] < 0)
      throw Failure(invalidConfig(tr("must be a whole number, at least 0"), path + ".step"));
    edits.push_back({item["step"].get<std::int64_t>(), valueOrThrow(maskEditFromJson(item, path))});
  }
  std::stable_sort(edits.begin(), edits.end(),
                   [](const auto& a, const auto& b) { return a.step < b.step; });
  return edits;
}

}  // namespace

Experiment::Experiment() = default;
Experiment::Experiment(const Experiment& other) = default;
Experiment::Experiment(Experiment&& other) noexcept = default;
Experiment& Experiment::operator=(const Experiment& other) = default;
Experiment& Experiment::operator=(Experiment&& other) noexcept = default;
Experiment::~Experiment() = default;

const ParameterTable& runParameters() {
  static const ParameterTable table = runTable<Experiment>();
  return table;
}

const std::vector<Section>& experimentSections() {
  static const std::vector<Section> sections{
      {"", "Run", &runParameters()},
      {"", "Task", &taskParameters()},
      {"model", "Model", &modelParameters()},
      {"masks", "Masks", &maskParameters()},
      {"data", "Data", &dataParameters()},
      {"training", "Training", &trainingParameters()},
      {"telemetry", "Telemetry", &telemetryParameters()},
  };
  return sections;
}

Result<Experiment> experimentFromJson(const Json& json, const ModelCatalog& catalog) {
  return guarded("experiment", [&] {
    Experiment experiment;
    valueOrThrow(modelForTask(json, Json::object(), catalog));  // a sequence model's first of all
    std::vector<std::string> sections{"schema", "task", "edits", kRunKey};
    for (const auto& section : experimentSections())
      if (!section.key.empty()) sections.push_back(section.key);
    require(readParameters(runParameters(), json, &experiment, "", sections));
    require(checkSchema(json, Experiment::kSchema));
    valueOrThrow(runIdIn(json));
    const Json training = readTrainingSection(json);
    experiment.model = valueOrThrow(
        modelFromJson(valueOrThrow(modelForTask(json, modelOf(json, catalog), catalog)), catalog));
    experiment.masks = valueOrThrow(maskConfigFromJson(findSection(json, "masks"), "masks"));
    require(readParameters(dataParameters(), findSection(json, "data"), &experiment.data, "data"));
    require(readParameters(trainingParameters(), training, &experiment.training, "training"));
    require(readParameters(telemetryParameters(), findSection(json, "telemetry"),
                           &experiment.telemetry, "telemetry"));
    experiment.edits = readEdits(json);
    auto scheme =
        valueOrThrow(resolveMasks(experiment.masks, makeMaskShape(experiment.model, catalog)));
    for (std::size_t i = 0; i < experiment.edits.size(); ++i)
      if (auto applied = applyMaskEdit(scheme, experiment.edits[i].edit); !applied)
        throw Failure(invalidConfig(applied.error().message, "edits[" + std::to_string(i) + "]"));
    return experiment;
  });
}

Result<Experiment> experimentFromText(std::string_view text, const std::string& name,
                                      const ModelCatalog& catalog,
                                      const std::filesystem::path& folder) {
  auto json = parseConfigJson(text, name);
  if (!json) return json.error();
  if (!folder.empty()) findPathsBeside(*json, folder);
  auto experiment = experimentFromJson(*json, catalog);
  if (!experiment) return invalidConfig(experiment.error().text(), name);
  return experiment;
}

Result<Experiment> readExperiment(const std::filesystem::path& path, const ModelCatalog& catalog) {
  auto text = readFile(path, kMaxConfigBytes);
  if (!text) return text.error();
  return experimentFromText(*text, path.string(), catalog,
                            std::filesystem::absolute(path).parent_path());
}

Json experimentToJson(const Experiment& experiment) {
  Json json = {{"schema", Experiment::kSchema}};
  if (const Task task = backboneTask(experiment.model.backbone); task != Task::Classify)
    json["task"] = taskName(task);
  json.update(writeParameters(runParameters(), &experiment));
  json["model"] = modelToJson(experiment.model);
  json["masks"] = maskConfigToJson(experiment.masks);
  json["data"] = writeParameters(dataParameters(), &experiment.data);
  json["training"] = writeParameters(trainingParameters(), &experiment.training);
  json["telemetry"] = writeParameters(telemetryParameters(), &experiment.telemetry);
  if (!experiment.edits.empty()) json["edits"] = Json::array();
  for (const auto& [step, edit] : experiment.edits) {
    Json item = {{"step", step}};
    item.update(maskEditToJson(edit));
    json["edits"].push_back(item);
  }
  return json;
}

std::string experimentToText(const Experiment& experiment) {
  return experimentToJson(experiment).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

Error noParameter(const std::string& path) {
  return invalidConfig(tr("is not a parameter; headlight-cli train --help lists them"), path);
}

/// What a parameter is set to.
using ValueFor = std::function<Result<Json>(const Parameter&)>;

/// What follows from a backbone's options, so that it follows anew.
void forgetDerived(Json& model, const Variant* backbone) {
  if (!backbone) return;
  for (const std::string& name : backbone->derived)
    model.erase(name);
}

/// `name` ("attention.window") of the `model` section: an option of the mechanism or the backbone.
Result<void> overrideOption(Json& json, const std::string& name, const ValueFor& valueFor,
                            const ModelCatalog& catalog) {
  const auto dot = name.find('.');
  const std::string section = name.substr(0, dot), option = name.substr(dot + 1);
  const auto model = modelForTask(json, findSection(json, "model"), catalog);
  if (!model) return model.error();
  const ChosenVariants chosen = chosenVariants(*model, catalog);
  const Variant* variant = section == "attention" ? chosen.mechanism : chosen.backbone;
  const std::string path = "model." + name;
  if (!variant) return noParameter(path);
  const Parameter* parameter =
      variant->options ? findParameter(*variant->options, option) : nullptr;
  if (!parameter)
    return invalidConfig(
        tr("is not an option of ") + variant->name + tr("; headlight-cli summary --") +
            (section == "attention" ? "mechanisms" : "backbones") + tr(" lists them"),
        path);
  auto value = valueFor(*parameter);
  if (!value) return value.error();
  Json& options = json["model"][section];
  if (!options.is_object()) options = Json::object();
  parameter->assign(options, *value);
  if (section == "layout") forgetDerived(json["model"], variant);
  return {};
}

/// Options of another mechanism or backbone than `before` say nothing about this one, nor does a
/// task that was only that backbone's.
void forgetOthersOptions(Json& json, const ChosenVariants& before, const ModelCatalog& catalog) {
  Json& model = json["model"];
  const ChosenVariants now = chosenVariants(model, catalog);
  if (now.mechanism != before.mechanism) model.erase("attention");
  if (now.backbone == before.backbone) return;
  model.erase("layout");
  for (const Variant* backbone : {before.backbone, now.backbone})
    forgetDerived(model, backbone);
  // Last: `model` moves where a key before it goes.
  if (before.backbone && now.backbone && before.backbone->task != now.backbone->task)
    forgetTaskOf(json, before.backbone->name);
}

Result<void> overrideWith(Json& json, const std::string& path, const ValueFor& valueFor,
                          const ModelCatalog& catalog) {
  const auto dot = path.find('.');
  const std::string key = dot == std::string::npos ? "" : path.substr(0, dot);
  const std::string name = dot == std::string::npos ? path : path.substr(dot + 1);
  if (!json.is_object()) json = Json::object();
  if (key == "model" && (name.starts_with("attention.") || name.starts_with("layout.")))
    return overrideOption(json, name, valueFor, catalog);
  for (const auto& section : experimentSections()) {
    if (section.key != key) continue;
    const Parameter* parameter = findParameter(*section.table, name);
    if (!parameter) continue;
    auto value = valueFor(*parameter);
    if (!value) return value.error();
    Json& object = key.empty() ? json : json[key];
    const ChosenVariants before = chosenVariants(findSection(json, "model"), catalog);
    parameter->assign(object, *value);
    // A preset that is asked for replaces the cells that the config wrote out.
    if (path == "masks.scheme") object.erase("cells");
    if (key == "model") forgetOthersOptions(json, before, catalog);
    return {};
  }
  return noParameter(path);
}

}  // namespace

Result<void> overrideParameter(Json& json, const std::string& path, const std::string& text,
                               const ModelCatalog& catalog) {
  return overrideWith(
      json, path,
      [&](const Parameter& parameter) { return parameterFromText(parameter, text, path); },
      catalog);
}

Result<void> setParameter(Json& json, const std::string& path, const Json& value,
                          const ModelCatalog& catalog) {
  if (value.is_string()) return overrideParameter(json, path, value.get<std::string>(), catalog);
  return overrideWith(
      json, path, [&](const Parameter&) -> Result<Json> { return value; }, catalog);
}

}  // namespace headlight
