// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where a config is refused. Whoever asks what a model costs relies on its being built as well.

#include <gtest/gtest.h>

#include <string>

#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"

namespace headlight {

/// The path of the error, "taken" where there is none; the same for building and for counting.
inline std::string refusedAt(const ModelConfig& config) {
  std::string built = "taken", counted = "taken";
  try {
    makeModel(config, 0);
  } catch (const Failure& failure) {
    built = failure.error().where;
  }
  try {
    modelCost(config);
  } catch (const Failure& failure) {
    counted = failure.error().where;
  }
  EXPECT_EQ(built, counted) << config.backbone << " " << config.mechanism;
  return built;
}

}  // namespace headlight
