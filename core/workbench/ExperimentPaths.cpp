#include "core/workbench/ExperimentPaths.h"

#include <filesystem>

#include "core/models/Registry.h"

namespace headlight {

void makePathAbsolute(std::string& path) {
  if (!path.empty()) path = std::filesystem::absolute(path).lexically_normal().string();
}

void makePathsAbsolute(Experiment& experiment) {
  TrainingConfig& training = experiment.training;
  makePathAbsolute(experiment.data.path);
  makePathAbsolute(training.weights);
  makePathAbsolute(training.teacherWeights);
  if (!findPublishedModel(training.teacher) && std::filesystem::exists(training.teacher))
    makePathAbsolute(training.teacher);
}

}  // namespace headlight
