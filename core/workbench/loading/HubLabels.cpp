// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/HubLabels.h"

#include <initializer_list>
#include <unordered_map>

#include "core/workbench/classes/ClassNames.h"

namespace headlight {
namespace {

const Json* findLabels(const Json& json, std::initializer_list<const char*> keys) {
  for (const Json* part : {&json, &readPretrained(json)})
    for (const char* key : keys)
      if (part->contains(key) && !(*part)[key].is_null() && !(*part)[key].empty())
        return &(*part)[key];
  return nullptr;
}

/// What the labels mean, by label.
std::unordered_map<std::string, std::string> descriptionsIn(const Json& json) {
  std::unordered_map<std::string, std::string> descriptions;
  const Json* given = findLabels(json, {"label_descriptions"});
  if (given && given->is_object())
    for (const auto& [label, text] : given->items())
      if (text.is_string()) descriptions.emplace(label, text.get<std::string>());
  return descriptions;
}

}  // namespace

const Json& readPretrained(const Json& json) {
  return json.contains("pretrained_cfg") && json["pretrained_cfg"].is_object()
             ? json["pretrained_cfg"]
             : json;
}

void applyLabels(const Json& json, HubModel& hub, const std::string& where) {
  const Json* given = findLabels(json, {"label_names", "labels"});
  if (!given) return;
  std::vector<std::string> labels;
  try {
    labels = classNamesFromJson(*given, where);
  } catch (const Failure& failure) {
    hub.notes.push_back("label_names are not used: " + failure.error().message);
    return;
  }
  const int classes = hub.experiment.model.classes;
  if (static_cast<int>(labels.size()) != classes) {
    hub.notes.push_back("label_names are not used: the config has " +
                        std::to_string(labels.size()) + " labels for " + std::to_string(classes) +
                        " classes");
    return;
  }
  const auto descriptions = descriptionsIn(json);
  for (const std::string& label : labels) {
    const auto found = descriptions.find(label);
    hub.classNames.push_back(found == descriptions.end() ? label : found->second);
  }
  if (hub.classNames != labels) hub.classKeys = std::move(labels);
}

}  // namespace headlight
