// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/StartState.h"

#include <QFileInfo>

#include <limits>

#include "core/config/ConfigText.h"
#include "core/models/Registry.h"

namespace headlight {
namespace {

void fail(const std::string& key, const std::string& message) {
  throw Failure({ErrorCode::InvalidConfig, message, key});
}

QString textOf(const std::string& key, const Json& value) {
  if (!value.is_string()) fail(key, "must be a string");
  return QString::fromStdString(value.get<std::string>());
}

const Json& objectOf(const std::string& key, const Json& value) {
  if (!value.is_object()) fail(key, "must be an object");
  return value;
}

std::int64_t wholeOf(const std::string& key, const Json& value, std::int64_t least) {
  if (!value.is_number_integer() || value < least || value > std::numeric_limits<int>::max())
    fail(key, "must be a whole number, at least " + std::to_string(least));
  return value.get<std::int64_t>();
}

std::vector<StartEdit> editsOf(const Json& json) {
  if (!json.is_array()) fail("edits", "must be a list");
  std::vector<StartEdit> edits;
  for (const Json& item : json) {
    objectOf("edits", item);
    if (!item.contains("layer") || !item.contains("head") || !item.contains("mask"))
      fail("edits", "each needs layer, head and mask");
    StartEdit edit;
    edit.layer = static_cast<int>(wholeOf("edits.layer", item["layer"], 0));
    edit.head = static_cast<int>(wholeOf("edits.head", item["head"], -1));
    edit.mask = valueOrThrow(headMaskFromText(textOf("edits.mask", item["mask"]).toStdString()));
    edits.push_back(edit);
  }
  return edits;
}

StartState::Training trainingOf(const Json& json) {
  objectOf("train", json);
  StartState::Training training;
  if (!json.contains("config")) fail("train.config", "is missing");
  const Json& config = json["config"];
  training.experiment =
      config.is_string() ? valueOrThrow(readExperiment(config.get<std::string>(), modelCatalog()))
                         : valueOrThrow(experimentFromJson(config, modelCatalog()));
  if (json.contains("steps")) training.steps = wholeOf("train.steps", json["steps"], 1);
  if (json.contains("folder")) training.folder = textOf("train.folder", json["folder"]);
  return training;
}

void readKey(StartState& state, const std::string& key, const Json& value) {
  const std::pair<const char*, QString*> texts[] = {
      {"theme", &state.theme}, {"workspace", &state.workspace}, {"tab", &state.tab},
      {"page", &state.page},   {"model", &state.model},         {"weights", &state.weights},
      {"image", &state.image}, {"masks", &state.masks},         {"palette", &state.palette},
      {"help", &state.help},   {"dialog", &state.dialog},
  };
  for (const auto& [name, target] : texts)
    if (key == name) {
      *target = textOf(key, value);
      return;
    }
  if (key == "view")
    state.view = objectOf(key, value);
  else if (key == "docks")
    state.docks = objectOf(key, value);
  else if (key == "edits")
    state.edits = editsOf(value);
  else if (key == "train")
    state.training = trainingOf(value);
  else if ((key == "gallery" || key == "actions") && value.is_array())
    for (const Json& entry : value)
      (key == "gallery" ? state.gallery : state.actions) << textOf(key, entry);
  else
    fail(key, "is not a known key of a state file");
}

}  // namespace

Result<StartState> startStateFromText(const QByteArray& text, const QString& name) {
  return guarded(name.toStdString(), [&] {
    const Json json = valueOrThrow(parseConfigJson(
        {text.constData(), static_cast<std::size_t>(text.size())}, name.toStdString()));
    if (!json.is_object()) fail(name.toStdString(), "is not a JSON object");
    StartState state;
    for (const auto& [key, value] : json.items())
      readKey(state, key, value);
    return state;
  });
}

}  // namespace headlight
