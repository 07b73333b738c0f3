// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/training/TrainingTeacher.h"

#include "core/base/Translation.h"
#include "core/checkpoint/Fingerprint.h"
#include "core/models/Registry.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/loading/Weights.h"
#include "core/workbench/session/Images.h"

namespace headlight {
namespace {

constexpr const char* kTeacherPath = "training.teacher";

[[noreturn]] void refuseTeacher(const std::string& message, const char* path = kTeacherPath) {
  throw Failure({ErrorCode::InvalidConfig, message, path});
}

/// The model, or the same error with the JSON path in front of the file's name.
LoadedModel loadTeacher(const TrainingConfig& training, const std::string& device, int threads) {
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

/// The teacher's class of every class of the data; empty where they are the same.
std::vector<std::int64_t> orderFor(const std::vector<std::string>& data, const ModelInfo& teacher,
                                   std::vector<std::string>& notes) {
  auto match =
      matchClasses(data, readModelClasses(teacher), {}, tr("; choose a teacher for the same data"));
  if (!match) refuseTeacher(tr("was trained on other classes: ") + match.error().message);
  if (!match->text.empty()) notes.push_back("the teacher's classes are matched " + match->text);
  return std::move(match->order);
}

/// For the files that say what the teacher is. A published name without weights has none: its
/// random weights are always the same.
std::string fingerprintOf(const TrainingConfig& training) {
  std::string result;
  for (const std::string& path : {training.teacher, training.teacherWeights}) {
    if (path.empty() || findPublishedModel(path)) continue;
    for (const auto& file : filesOfWeights(path))
      result += (result.empty() ? "" : " and ") + valueOrThrow(fileFingerprint(file));
  }
  return result;
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
    refuseTeacher(tr("is missing; give the teacher model, or set training.distillation to none"));
  const LoadedModel loaded = loadTeacher(training, device, experiment.threads);
  const ModelConfig& model = loaded.info.experiment.model;
  if (model.classes != static_cast<int>(classNames.size()))
    refuseTeacher(tr("has ") + std::to_string(model.classes) + tr(" classes, but the data has ") +
                  std::to_string(classNames.size()) + tr("; choose a teacher for the same data"));
  const Preprocessing expects = makePreprocessing(model), own = makePreprocessing(experiment.model);
  opened.teacher = std::make_shared<Teacher>(loaded.model, expects, own,
                                             orderFor(classNames, loaded.info, opened.notes));
  opened.fingerprint = fingerprintOf(training);
  if (loaded.info.randomWeights)
    opened.notes.push_back(
        "the teacher's weights are random; give training.teacher_weights for trained ones");
  else if (!loaded.info.report.complete())
    opened.notes.push_back("teacher: " + loaded.info.report.summary());
  if (opened.teacher->resizes())
    opened.notes.push_back("the teacher uses the student's images, resized from " + sizeText(own) +
                           " to " + sizeText(expects) + " pixels");
  return opened;
}

}  // namespace headlight
