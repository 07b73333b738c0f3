#include "core/workbench/ExperimentPaths.h"

#include <filesystem>

#include "core/models/Registry.h"

namespace headlight {

void makePathsAbsolute(Experiment& experiment) {
  namespace fs = std::filesystem;
  const auto makeAbsolute = [](std::string& path) {
    if (!path.empty()) path = fs::absolute(path).lexically_normal().string();
  };
  TrainingConfig& training = experiment.training;
  makeAbsolute(experiment.data.path);
  makeAbsolute(training.weights);
  makeAbsolute(training.teacherWeights);
  if (!findPublishedModel(training.teacher) && fs::exists(training.teacher))
    makeAbsolute(training.teacher);
}

}  // namespace headlight
