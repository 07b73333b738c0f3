// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the tests of sequence models share: a run that takes a moment, and what it left.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/checkpoint/Checkpoint.h"
#include "core/workbench/sequences/SequenceTraining.h"

namespace headlight {

namespace fs = std::filesystem;

inline constexpr const char* kPattern = "the dog.";  // eight letters, all different

inline fs::path writePatterns(const fs::path& path, int repetitions) {
  std::ofstream file(path, std::ios::binary);
  for (int i = 0; i < repetitions; ++i)
    file << kPattern;
  return path;
}

inline SequenceExperiment tinyText(const fs::path& text) {
  SequenceExperiment experiment;
  experiment.name = "tiny";
  experiment.seed = 7;
  experiment.device = "cpu";
  experiment.threads = 1;
  experiment.data.kind = "text";
  experiment.data.path = text.string();
  SequenceModelConfig& model = experiment.model;
  model.width = 16;
  model.depth = 2;
  model.mlpRatio = 2;
  model.length = 24;
  model.rank = 4;
  model.window = 5;
  model.dropout = 0.2;
  SequenceTrainingConfig& training = experiment.training;
  training.steps = 12;
  training.batchSize = 4;
  training.warmupSteps = 3;
  training.evaluateSteps = 5;
  training.evaluateSamples = 3;
  training.checkpointSteps = 4;
  return experiment;
}

using SequenceReadings = std::vector<SequenceReading>;

inline SequenceOutcome trainOrFail(const SequenceExperiment& experiment, const fs::path& folder,
                                   bool resume = false, std::int64_t stopAt = -1,
                                   SequenceReadings* readings = nullptr) {
  std::stop_source source;
  auto outcome = trainSequence(
      experiment, folder, resume,
      [&](const SequenceReading& reading) {
        if (readings) readings->push_back(reading);
        if (reading.step == stopAt) source.request_stop();
      },
      source.get_token());
  if (!outcome) throw Failure(outcome.error());
  return *outcome;
}

inline std::map<std::string, at::Tensor> tensorsOf(const fs::path& file) {
  const auto checkpoint = valueOrThrow(readSafetensors(file));
  return {checkpoint.tensors.begin(), checkpoint.tensors.end()};
}

inline void expectSameTensors(const fs::path& a, const fs::path& b) {
  const auto first = tensorsOf(a), second = tensorsOf(b);
  EXPECT_EQ(first.size(), second.size());
  for (const auto& [name, tensor] : first) {
    ASSERT_TRUE(second.contains(name)) << name;
    EXPECT_TRUE(at::equal(tensor, second.at(name))) << name;
  }
}

}  // namespace headlight
