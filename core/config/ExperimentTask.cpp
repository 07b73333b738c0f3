// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/ExperimentTask.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/config/Reading.h"

namespace headlight {
namespace {

constexpr const char* kTaskKey = "task";

struct NamedTask {
  std::string name;
  Task task;
};

const std::vector<NamedTask>& namedTasks() {
  static const std::vector<NamedTask> all{{"classification", Task::Classify},
                                          {"detection", Task::Detect},
                                          {"segmentation", Task::Segment},
                                          {"mae", Task::Rebuild}};
  return all;
}

/// Backbones of other tasks than classification; of each task the one it chooses first.
const std::vector<NamedTask>& taskBackbones() {
  static const std::vector<NamedTask> all{
      {"lcnet_vit", Task::Detect}, {"esnet_vit", Task::Detect},      {"lcnet", Task::Detect},
      {"esnet", Task::Detect},     {"vit_segmenter", Task::Segment}, {"mae", Task::Rebuild}};
  return all;
}

const NamedTask* firstOf(const std::vector<NamedTask>& all, Task task) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const NamedTask& one) { return one.task == task; });
  return found == all.end() ? nullptr : &*found;
}

const NamedTask* taskAt(const std::vector<NamedTask>& all, const std::string& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const NamedTask& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

struct TaskChoice {
  std::string task = taskName(Task::Classify);
};

const std::string& plainBackbone() {
  static const std::string name = ModelConfig().backbone;
  return name;
}

std::string backboneNamed(const Json& model, const ModelCatalog& catalog) {
  const auto textOf = [&](const char* key) {
    return model.contains(key) && model[key].is_string() ? model[key].get<std::string>() : "";
  };
  std::string given = textOf("backbone");
  if (!given.empty()) return given;
  const std::string name = textOf("name");
  if (!name.empty() && catalog.published)
    if (const auto known = catalog.published(name)) return known->backbone;
  return plainBackbone();
}

Result<Task> readTask(const Json& value) {
  if (value == "sequence")
    return invalidConfig(tr("belongs to a sequence model; train it with Model → Sequence "
                            "models in the window, or headlight-cli sequence train"),
                         kTaskKey);
  if (auto checked = checkParameter(taskParameters().front(), value, kTaskKey); !checked)
    return checked.error();
  return taskAt(namedTasks(), value.get<std::string>())->task;
}

/// The classifier of a detector's network, and the other way round; "": there is none.
std::string twinOf(const std::string& backbone, Task task) {
  const std::string_view ending = kClassifierEnding;
  const bool classifies = backbone.ends_with(ending);
  if (task == Task::Classify && backboneTask(backbone) == Task::Detect)
    return backbone + std::string(ending);
  return task == Task::Detect && classifies ? backbone.substr(0, backbone.size() - ending.size())
                                            : std::string();
}

/// A named model of the one is of the same size as the other.
void keepSize(Json& model, const ModelCatalog& catalog) {
  if (!model.contains("name") || !model["name"].is_string() || !catalog.published) return;
  const auto known = catalog.published(model["name"].get<std::string>());
  if (!known || !known->layout.contains("size")) return;
  Json& layout = model["layout"];
  if (layout.is_null()) layout = Json::object();
  if (layout.is_object() && !layout.contains("size")) layout["size"] = known->layout["size"];
}

Error contradiction(Task task, const std::string& backbone) {
  return invalidConfig(tr("is ") + taskName(task) + tr(", but the backbone ") + backbone +
                           tr(" is for ") + taskName(backboneTask(backbone)) +
                           tr("; leave the task out, or choose the backbone ") +
                           backboneForTask(task),
                       kTaskKey);
}

}  // namespace

const std::string& taskName(Task task) {
  return firstOf(namedTasks(), task)->name;
}

Task backboneTask(const std::string& backbone) {
  const NamedTask* known = taskAt(taskBackbones(), backbone);
  return known ? known->task : Task::Classify;
}

const std::string& backboneForTask(Task task) {
  const NamedTask* chosen = firstOf(taskBackbones(), task);
  return chosen ? chosen->name : plainBackbone();
}

const ParameterTable& taskParameters() {
  static const ParameterTable table = [] {
    std::vector<std::string> names;
    for (const NamedTask& one : namedTasks())
      names.push_back(one.name);
    return TableBuilder<TaskChoice>()
        .choice(&TaskChoice::task, kTaskKey, names,
                "What the model learns. Without a backbone, or with vit, it chooses one: lcnet_vit "
                "for detection, vit_segmenter for segmentation, mae.")
        .build();
  }();
  return table;
}

Result<Json> modelForTask(const Json& experiment, Json model, const ModelCatalog& catalog) {
  if (!experiment.is_object() || !experiment.contains(kTaskKey)) return model;
  const auto task = readTask(experiment[kTaskKey]);
  if (!task) return task.error();
  if (!model.is_object()) return model;
  const std::string backbone = backboneNamed(model, catalog);
  if (backboneTask(backbone) == *task) return model;
  if (const std::string twin = twinOf(backbone, *task); !twin.empty()) {
    model["backbone"] = twin;
    keepSize(model, catalog);
    return model;
  }
  if (backbone != plainBackbone()) return contradiction(*task, backbone);
  model["backbone"] = backboneForTask(*task);
  return model;
}

void forgetTaskOf(Json& experiment, const std::string& before) {
  if (experiment.contains(kTaskKey) && experiment[kTaskKey] == taskName(backboneTask(before)))
    experiment.erase(kTaskKey);
}

}  // namespace headlight
