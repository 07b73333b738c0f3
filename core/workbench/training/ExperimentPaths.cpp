// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/training/ExperimentPaths.h"

#include <filesystem>

#include "core/base/files/Files.h"
#include "core/models/Registry.h"

namespace headlight {

void makePathAbsolute(std::string& path) {
  if (path.empty()) return;
  std::error_code unknown;  // the folder that we are in is gone: the path stays as it is
  const auto absolute = std::filesystem::absolute(path, unknown);
  if (!unknown) path = absolute.lexically_normal().string();
}

void makePathsAbsolute(Experiment& experiment) {
  TrainingConfig& training = experiment.training;
  makePathAbsolute(experiment.data.path);
  makePathAbsolute(experiment.data.teacherLogits);
  makePathAbsolute(training.weights);
  makePathAbsolute(training.teacherWeights);
  if (!findPublishedModel(training.teacher) && isThere(training.teacher))
    makePathAbsolute(training.teacher);
}

void makeSequencePathsAbsolute(SequenceExperiment& experiment) {
  makePathAbsolute(experiment.data.path);
  makePathAbsolute(experiment.training.weights);
}

}  // namespace headlight
