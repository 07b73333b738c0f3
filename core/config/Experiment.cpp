#include "core/config/Experiment.h"

#include <algorithm>

#include "core/base/Files.h"
#include "core/config/MasksJson.h"

namespace headlight {
namespace {

constexpr std::size_t kMaxConfigBytes = 16u << 20;
constexpr int kMaxConfigDepth = 64;

Error invalid(const std::string& message, const std::string& path) {
  return {ErrorCode::InvalidConfig, message, path};
}

const Json& sectionOf(const Json& json, const char* key) {
  static const Json empty = Json::object();
  return json.contains(key) ? json[key] : empty;
}

void require(Result<void> outcome) {
  if (!outcome) throw Failure(outcome.error());
}

void readSchema(const Json& json) {
  if (!json.contains("schema")) return;  // written by hand: read as the newest
  const Json& schema = json["schema"];
  if (!schema.is_number_integer() || schema < 1)
    throw Failure(invalid("must be a whole number, at least 1", "schema"));
  if (schema > Experiment::kSchema)
    throw Failure(invalid("is " + schema.dump() + ", newer than this program reads (" +
                              std::to_string(Experiment::kSchema) + "); update Headlight",
                          "schema"));
}

std::vector<ScheduledEdit> readEdits(const Json& json) {
  std::vector<ScheduledEdit> edits;
  if (!json.contains("edits")) return edits;
  if (!json["edits"].is_array()) throw Failure(invalid("must be a list", "edits"));
  for (std::size_t i = 0; i < json["edits"].size(); ++i) {
    const Json& item = json["edits"][i];
    const std::string path = "edits[" + std::to_string(i) + "]";
    if (!item.is_object() || !item.contains("step") || !item["step"].is_number_integer() ||
        item["step"] < 0)
      throw Failure(invalid("must be a whole number, at least 0", path + ".step"));
    edits.push_back({item["step"].get<std::int64_t>(), valueOrThrow(maskEditFromJson(item, path))});
  }
  std::stable_sort(edits.begin(), edits.end(),
                   [](const auto& a, const auto& b) { return a.step < b.step; });
  return edits;
}

}  // namespace

const ParameterTable& runParameters() {
  using E = Experiment;
  static const ParameterTable table =
      TableBuilder<E>()
          .text(&E::name, "name", "A name for the run.")
          .integer(&E::seed, "seed", 0, 9007199254740991.0, "Seed of everything random.")
          .text(&E::device, "device", "auto (CUDA if there is one), cpu, cuda or cuda:N.")
          .integer(&E::threads, "threads", 0, 1024, "CPU threads; 0 means as many as cores.")
          .build();
  return table;
}

const std::vector<Section>& experimentSections() {
  static const std::vector<Section> sections{
      {"", "Run", &runParameters()},
      {"model", "Model", &modelParameters()},
      {"masks", "Masks", &maskParameters()},
      {"data", "Data", &dataParameters()},
      {"training", "Training", &trainingParameters()},
      {"telemetry", "Telemetry", &telemetryParameters()},
  };
  return sections;
}

Result<Experiment> experimentFromJson(const Json& json, const ModelCatalogue& catalogue) {
  return guarded("experiment", [&] {
    Experiment experiment;
    std::vector<std::string> sections{"schema", "edits"};
    for (const auto& section : experimentSections())
      if (!section.key.empty()) sections.push_back(section.key);
    require(readParameters(runParameters(), json, &experiment, "", sections));
    readSchema(json);
    experiment.model = valueOrThrow(modelFromJson(sectionOf(json, "model"), catalogue));
    experiment.masks = valueOrThrow(maskConfigFromJson(sectionOf(json, "masks"), "masks"));
    require(readParameters(dataParameters(), sectionOf(json, "data"), &experiment.data, "data"));
    require(readParameters(trainingParameters(), sectionOf(json, "training"), &experiment.training,
                           "training"));
    require(readParameters(telemetryParameters(), sectionOf(json, "telemetry"),
                           &experiment.telemetry, "telemetry"));
    experiment.edits = readEdits(json);
    auto scheme =
        valueOrThrow(resolveMasks(experiment.masks, maskShapeOf(experiment.model, catalogue)));
    for (std::size_t i = 0; i < experiment.edits.size(); ++i)
      if (auto applied = applyMaskEdit(scheme, experiment.edits[i].edit); !applied)
        throw Failure(invalid(applied.error().message, "edits[" + std::to_string(i) + "]"));
    return experiment;
  });
}

Result<Experiment> experimentFromText(std::string_view text, const std::string& name,
                                      const ModelCatalogue& catalogue) {
  if (text.size() > kMaxConfigBytes)
    return invalid("is larger than 16 MB; a config is a few kilobytes", name);
  const auto watchDepth = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > kMaxConfigDepth) throw Failure(invalid("is nested more than 64 levels deep", name));
    return true;
  };
  Json json;
  try {
    json = Json::parse(text.begin(), text.end(), watchDepth);
  } catch (const Failure& failure) {
    return failure.error();
  } catch (const Json::exception& exception) {
    return invalid(std::string("is not JSON: ") + exception.what(), name);
  }
  auto experiment = experimentFromJson(json, catalogue);
  if (!experiment) return invalid(experiment.error().text(), name);
  return experiment;
}

Result<Experiment> readExperiment(const std::filesystem::path& path,
                                  const ModelCatalogue& catalogue) {
  auto text = readFile(path, kMaxConfigBytes);
  if (!text) return text.error();
  return experimentFromText(*text, path.string(), catalogue);
}

Json experimentToJson(const Experiment& experiment) {
  Json json = {{"schema", Experiment::kSchema}};
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

/// A flag's text whose type is not known yet: a number, true, false, a list of numbers, or text.
Json guessedFromText(const std::string& text) {
  if (text.find(',') != std::string::npos) {
    const Json list = Json::parse("[" + text + "]", nullptr, false);
    if (!list.is_discarded()) return list;
  }
  const Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

}  // namespace

Result<void> overrideParameter(Json& json, const std::string& path, const std::string& text) {
  const auto dot = path.find('.');
  const std::string key = dot == std::string::npos ? "" : path.substr(0, dot);
  const std::string name = dot == std::string::npos ? path : path.substr(dot + 1);
  if (key == "model" && (name.starts_with("attention.") || name.starts_with("layout."))) {
    // Their types depend on the mechanism and the backbone: checked when the JSON is read.
    const auto inner = name.find('.');
    if (!json.is_object()) json = Json::object();
    json["model"][name.substr(0, inner)][name.substr(inner + 1)] = guessedFromText(text);
    return {};
  }
  for (const auto& section : experimentSections()) {
    if (section.key != key) continue;
    const Parameter* parameter = findParameter(*section.table, name);
    if (!parameter) break;
    auto value = parameterFromText(*parameter, text, path);
    if (!value) return value.error();
    if (!json.is_object()) json = Json::object();
    Json& object = key.empty() ? json : json[key];
    object[name] = *value;
    // A preset that is asked for replaces the cells that the config wrote out.
    if (path == "masks.scheme") object.erase("cells");
    return {};
  }
  return invalid("is not a parameter; headlight-cli train --help lists them", path);
}

}  // namespace headlight
