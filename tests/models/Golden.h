// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// timm's golden files: weights, and what a model made of an input.

#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "core/checkpoint/Checkpoint.h"
#include "core/models/backbones/Model.h"

namespace headlight {

inline Checkpoint goldenFile(const std::string& name) {
  return valueOrThrow(readCheckpoint(std::string(HEADLIGHT_GOLDEN_DIR "/") + name));
}

/// Its tensors by name.
inline std::map<std::string, at::Tensor> goldenTensors(const std::string& name) {
  const Checkpoint file = goldenFile(name);
  return {file.tensors.begin(), file.tensors.end()};
}

/// Gives `model` these weights, which must be exactly its own, and puts it in evaluation mode.
inline void giveGoldenWeights(Model& model, const Checkpoint& file) {
  const Grid grid = model.grid(0);
  const LoadPlan plan = valueOrThrow(planLoad(
      model.state(), file, {.prefixTokens = grid.prefix, .rows = grid.rows, .cols = grid.cols}));
  EXPECT_EQ(plan.report.matched.size(), model.state().size()) << plan.report.summary();
  EXPECT_TRUE(plan.report.unexpected.empty()) << plan.report.summary();
  valueOrThrow(applyLoad(model.state(), plan));
  model.eval();
}

}  // namespace headlight
