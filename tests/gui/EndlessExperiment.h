// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A training of a tiny model that goes on until it is stopped.

#include "core/config/Experiment.h"

namespace headlight {

inline Experiment endlessExperiment() {
  Experiment experiment;
  experiment.device = "cpu";
  experiment.threads = 1;
  ModelConfig& model = experiment.model;
  model.imageSize = 16;
  model.patchSize = 4;
  model.width = 8;
  model.depth = 2;
  model.heads = 2;
  model.classes = 9;
  experiment.data.trainSamples = 64;
  experiment.data.validationSamples = 18;
  experiment.data.loaderThreads = 0;
  experiment.training.epochs = 100000;
  experiment.training.batchSize = 8;
  experiment.telemetry.alsSteps = 2;
  return experiment;
}

}  // namespace headlight
