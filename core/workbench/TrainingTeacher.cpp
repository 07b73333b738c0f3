#include "core/workbench/TrainingTeacher.h"

#include <algorithm>
#include <filesystem>

#include "core/models/Registry.h"
#include "core/workbench/LoadedModel.h"
#include "core/workbench/Pictures.h"

namespace headlight {
namespace {

constexpr const char* kTeacherPath = "training.teacher";

[[noreturn]] void refuse(const std::string& message, const char* path = kTeacherPath) {
  throw Failure({ErrorCode::InvalidConfig, message, path});
}

/// The model, or the same error with the JSON path in front of the file's name.
LoadedModel load(const TrainingConfig& training, const std::string& device, int threads) {
  ModelSource source;
  source.model = training.teacher;
  source.weights = training.teacherWeights;
  source.device = device;
  source.threads = threads;
  try {
    return loadModel(source);
  } catch (const Failure& failure) {
    const Error& error = failure.error();
    const bool aboutWeights =
        !training.teacherWeights.empty() && error.where.starts_with(training.teacherWeights);
    throw Failure(
        {error.code, error.text(), aboutWeights ? "training.teacher_weights" : kTeacherPath});
  }
}

/// The teacher's class of every class of the data; empty where they are in the same order.
std::vector<std::int64_t> classOrder(const std::vector<std::string>& data,
                                     const std::vector<std::string>& teacher) {
  if (teacher.empty() || data == teacher) return {};
  std::vector<std::int64_t> order;
  for (const std::string& name : data) {
    const auto found = std::find(teacher.begin(), teacher.end(), name);
    if (found == teacher.end())
      refuse("was trained on other classes: it knows no \"" + name +
             "\"; choose a teacher of the same data");
    order.push_back(found - teacher.begin());
  }
  return order;
}

std::string sizeText(const Preprocessing& preprocessing) {
  return std::to_string(preprocessing.height) + " × " + std::to_string(preprocessing.width);
}

}  // namespace

OpenedTeacher openTeacher(const Experiment& experiment, const std::vector<std::string>& classNames,
                          const std::string& device) {
  const TrainingConfig& training = experiment.training;
  OpenedTeacher opened;
  if (training.distillation == "none") return opened;
  if (training.teacher.empty() && training.teacherWeights.empty())
    refuse("is missing; name the model to learn from, or set training.distillation to none");
  const LoadedModel loaded = load(training, device, experiment.threads);
  const ModelConfig& model = loaded.info.experiment.model;
  if (model.classes != static_cast<int>(classNames.size()))
    refuse("has " + std::to_string(model.classes) + " classes, the data has " +
           std::to_string(classNames.size()) + "; choose a teacher of the same data");
  const Preprocessing expects = preprocessingOf(model), own = preprocessingOf(experiment.model);
  opened.teacher = std::make_shared<Teacher>(loaded.model, expects, own,
                                             classOrder(classNames, loaded.info.classNames));
  if (loaded.info.randomWeights)
    opened.notes.push_back(
        "the teacher's weights are random; give training.teacher_weights for trained ones");
  else if (!loaded.info.report.complete())
    opened.notes.push_back("teacher: " + loaded.info.report.summary());
  if (opened.teacher->resizes())
    opened.notes.push_back("the teacher sees the student's pictures resized from " + sizeText(own) +
                           " to " + sizeText(expects) + " pixels");
  return opened;
}

void makeTeacherAbsolute(TrainingConfig& training) {
  namespace fs = std::filesystem;
  const auto absolute = [](const std::string& path) {
    return fs::absolute(path).lexically_normal().string();
  };
  if (!training.teacher.empty() && !findPublishedModel(training.teacher) &&
      fs::exists(training.teacher))
    training.teacher = absolute(training.teacher);
  if (!training.teacherWeights.empty()) training.teacherWeights = absolute(training.teacherWeights);
}

}  // namespace headlight
