// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/training/TaskSettings.h"

#include <QObject>

#include <algorithm>
#include <vector>

#include "core/config/DataTask.h"
#include "core/models/Registry.h"

namespace headlight {
namespace {

struct ClassOption {
  const char *section, *name;
  Json off;
};

/// What checkTraining() refuses.
const std::vector<ClassOption>& classOptions() {
  static const std::vector<ClassOption> all{
      {"training", "mixup_alpha", 0.0},     {"training", "cutmix_alpha", 0.0},
      {"training", "distillation", "none"}, {"data", "repeats", 1},
      {"data", "rand_augment", ""},         {"data", "erasing", 0.0}};
  return all;
}

/// A masked autoencoder learns from images alone, whatever else there is.
bool fits(Task task, const std::string& dataset) {
  return task == Task::Rebuild || dataTask(dataset) == task;
}

ParameterTable makeDataTable(Task task) {
  ParameterTable table = dataParameters();
  for (Parameter& parameter : table) {
    if (parameter.name != "dataset") continue;
    std::erase_if(parameter.choices, [&](const std::string& kind) { return !fits(task, kind); });
    parameter.defaultValue = drawnDataFor(task);
  }
  return table;
}

void setOption(Experiment& experiment, const ClassOption& option) {
  const bool ofData = option.section == std::string("data");
  const ParameterTable& table = ofData ? dataParameters() : trainingParameters();
  void* values = ofData ? static_cast<void*>(&experiment.data) : &experiment.training;
  findParameter(table, option.name)->set(values, option.off);
}

}  // namespace

std::string drawnDataFor(Task task) {
  if (task == Task::Segment) return kTextureSegments;
  return task == Task::Detect ? kTextureScenes : kProceduralData;
}

const ParameterTable& dataTableFor(Task task) {
  static const ParameterTable classes = makeDataTable(Task::Classify),
                              boxes = makeDataTable(Task::Detect),
                              segments = makeDataTable(Task::Segment),
                              images = makeDataTable(Task::Rebuild);
  if (task == Task::Rebuild) return images;
  return task == Task::Detect ? boxes : task == Task::Segment ? segments : classes;
}

Experiment fittedToTask(Experiment experiment) {
  const Task task = taskOf(experiment.model);
  if (!fits(task, experiment.data.dataset)) {
    experiment.data.dataset = drawnDataFor(task);
    experiment.data.path.clear();
  }
  if (task == Task::Classify) return experiment;
  for (const ClassOption& option : classOptions())
    setOption(experiment, option);
  return experiment;
}

void turnOffClassOptions(Json& experiment, Task task) {
  if (task == Task::Classify) return;
  for (const ClassOption& option : classOptions())
    experiment[option.section][option.name] = option.off;
}

QString taskProblem(Task task, const std::string& dataset) {
  if (fits(task, dataset)) return {};
  const QString kind = QString::fromStdString(dataset);
  if (task == Task::Detect)
    return QObject::tr(
               "This model learns boxes, and data of the kind %1 has none. Choose a folder "
               "in COCO's or Pascal VOC's format, or none.")
        .arg(kind);
  if (task == Task::Segment)
    return QObject::tr(
               "This model learns classes of pixels, and data of the kind %1 has none. Choose a "
               "folder of images with label images, or none.")
        .arg(kind);
  if (dataTask(dataset) == Task::Segment)
    return QObject::tr(
               "Data of the kind %1 has a class for every pixel, and this model learns classes of "
               "images. Choose other data, or open a segmenter.")
        .arg(kind);
  return QObject::tr(
             "Data of the kind %1 has boxes, and this model learns classes of images. "
             "Choose other data, or open a detector, such as lcnet_vit_s_320.")
      .arg(kind);
}

}  // namespace headlight
