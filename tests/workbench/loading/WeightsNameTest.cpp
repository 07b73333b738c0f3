// SPDX-License-Identifier: GPL-3.0-or-later

// What weights are called: by the place where they lie and what their file says.

#include "core/workbench/loading/WeightsName.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/checkpoint/Checkpoint.h"
#include "core/training/run/ModelFile.h"
#include "core/training/run/TrainingCheckpoint.h"
#include "core/workbench/loading/ModelInfo.h"
#include "core/workbench/session/InferenceSession.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

using Metadata = std::map<std::string, std::string>;

ModelInfo infoOf(const std::string& model, const std::string& weights) {
  ModelInfo info;
  info.experiment.model.name = model;
  info.weightsName = weights;
  return info;
}

TEST(WeightsName, SaysWhereTheyComeFrom) {
  EXPECT_EQ(makeWeightsName(""), "");
  EXPECT_EQ(makeWeightsName("/usr/share/headlight/models/demo/demo.safetensors"), "demo");
  EXPECT_EQ(makeWeightsName("demo.safetensors"), "demo.safetensors");
  EXPECT_EQ(makeWeightsName("/home/a/deit_tiny-a1311bcf.pth"), "deit_tiny-a1311bcf.pth");
  EXPECT_EQ(makeWeightsName("/home/a/vit-tiny/model.safetensors"), "vit-tiny/model.safetensors");
  EXPECT_EQ(makeWeightsName("/home/a/vit-tiny/"), "vit-tiny");
  EXPECT_EQ(makeWeightsName("/c/hub/models--timm--vit_small.x/snapshots/0a1b/model.safetensors"),
            "timm/vit_small.x (hub)");
  EXPECT_EQ(makeWeightsName("/c/hub/models--timm--vit_small.x"), "timm/vit_small.x (hub)");
}

TEST(WeightsName, OfAKeptTaughtModelIsWhatItWasMadeFrom) {
  EXPECT_EQ(makeWeightsName("/d/taught/demo + probe-0123456789abcdef.safetensors"), "demo + probe");
  EXPECT_EQ(keptTaughtName("/d/taught/a-b + probe-0123456789abcdef.safetensors"), "a-b + probe");
  for (const char* other :
       {"/d/other/demo + probe-0123456789abcdef.safetensors", "/d/taught/-0123456789abcdef.pth",
        "/d/taught/demo + probe-0123456789abcdeg.safetensors", "/d/taught/-0123456789abcdef",
        "/d/taught/-0123456789abcdef.safetensors", "/d/taught/mine.safetensors", ""})
    EXPECT_EQ(keptTaughtName(other), "") << other;
}

TEST(WeightsName, OfARunHasItsPartAndStep) {
  const Metadata kept{{"experiment", "{}"}, {"step", "500"}};
  const Metadata resumable{{"experiment", "{}"}, {"training", R"({"step": 750})"}};
  EXPECT_EQ(makeWeightsName("/runs/vit_micro-2/best.safetensors", kept),
            "run vit_micro-2 · best · step 500");
  EXPECT_EQ(makeWeightsName("/runs/vit_micro-2/last.safetensors", resumable),
            "run vit_micro-2 · last · step 750");
  EXPECT_EQ(makeWeightsName("/runs/a/epoch-0005.safetensors", {{"experiment", "{}"}}),
            "run a · epoch 5");
  EXPECT_EQ(makeWeightsName("/runs/a/best.safetensors"), "run a · best");
  // Without an experiment a file only happens to be called so.
  EXPECT_EQ(makeWeightsName("/home/a/best.safetensors", Metadata()), "best.safetensors");
  EXPECT_EQ(makeRunWeightsName("a", "training", 12), "run a · training · step 12");
}

TEST(WeightsName, DamagedStepsAreLeftOut) {
  for (const char* step : {"", "-1", "5x", "99999999999999999999", "five"})
    EXPECT_FALSE(readSavedStep({{"step", step}})) << step;
  for (const char* position : {"", "[]", R"({"step": -2})", R"({"step": "7"})", "{"})
    EXPECT_FALSE(readSavedStep({{"training", position}})) << position;
  EXPECT_EQ(readSavedStep({{"step", "0"}}), 0);
}

TEST(WeightsName, IsReadFromTheHeader) {
  const TemporaryFolder folder;
  const fs::path run = folder / "run-7";
  fs::create_directories(run);
  ASSERT_TRUE(
      writeSafetensors(run / "best.safetensors", {}, {{"experiment", "{}"}, {"step", "9"}}));
  EXPECT_EQ(readWeightsName(run / "best.safetensors"), "run run-7 · best · step 9");
  EXPECT_EQ(readWeightsName(run / "last.safetensors"), "run run-7 · last");  // missing: by its path
}

TEST(WeightsName, WhatARunStartedFromIsInItsConfig) {
  const TemporaryFolder folder;
  const fs::path run = folder / "a";
  fs::create_directories(run);
  EXPECT_FALSE(readTrainingOrigin(run / "best.safetensors"));  // no config
  std::ofstream(run / "config.json") << R"({"seed": 7, "run": "0123"})";
  const auto random = readTrainingOrigin(run / "best.safetensors");
  ASSERT_TRUE(random);
  EXPECT_TRUE(random->random);
  EXPECT_EQ(random->seed, 7);
  EXPECT_EQ(random->model, run / "config.json");
  std::ofstream(run / "config.json") << R"({"training": {"weights": "/m/mine.safetensors"}})";
  const auto start = readTrainingOrigin(run / "epoch-0005.safetensors");
  ASSERT_TRUE(start);
  EXPECT_FALSE(start->random);
  EXPECT_EQ(start->model, "/m/mine.safetensors");
  EXPECT_FALSE(readTrainingOrigin(run / "mine.safetensors"));  // not the run's
}

TEST(WeightsName, AModelIsNamedOnce) {
  EXPECT_EQ(makeModelTitle(infoOf("demo-vit", "demo")), "demo");
  EXPECT_EQ(makeModelTitle(infoOf("vit_tiny", "my.safetensors")), "vit_tiny · my.safetensors");
  EXPECT_EQ(makeModelTitle(infoOf("vit_tiny", "timm/vit_tiny.augreg (hub)")),
            "timm/vit_tiny.augreg (hub)");
  EXPECT_EQ(makeModelTitle(infoOf("custom", "run a · best")), "run a · best");
  ModelInfo random = infoOf("vit_tiny", "");
  random.randomWeights = true;
  EXPECT_EQ(makeModelTitle(random), "vit_tiny · random weights");
}

TEST(WeightsName, IsKnownOnceAModelIsOpen) {
  const TemporaryFolder folder;
  Experiment experiment;
  experiment.model.imageSize = 16;
  experiment.model.patchSize = 8;
  experiment.model.width = 8;
  experiment.model.depth = 1;
  experiment.model.heads = 2;
  experiment.model.classes = 3;
  const auto made = valueOrThrow(InferenceSession::create(experiment));
  EXPECT_EQ(made->info().weightsName, "");
  const fs::path file = folder / "mine.safetensors";
  valueOrThrow(
      made->save(file, valueOrThrow(resolveMasks(experiment.masks, experiment.model.maskShape()))));
  ModelSource source;
  source.weights = file;
  const auto opened = valueOrThrow(InferenceSession::open(source));
  EXPECT_EQ(opened->info().weightsName, "mine.safetensors");
  valueOrThrow(made->loadWeights(file));
  EXPECT_EQ(made->info().weightsName, "mine.safetensors");
}

}  // namespace
}  // namespace headlight
