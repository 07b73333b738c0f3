// SPDX-License-Identifier: GPL-3.0-or-later

// What `inspect` says of inputs that are no checkpoints.

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using InspectInputsCliTest = ImagesCliTest;

std::string inspectedLine(const Outcome& outcome) {
  expectOk(outcome);
  return outcome.out;
}

bool tells(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(InspectInputsCliTest, ADatasetByItsSplitsAndClasses) {
  const auto outcome = run({"inspect", m_images, "--json"});
  expectOk(outcome);
  const auto json = outcome.json();
  EXPECT_EQ(json["kind"], "a dataset");
  EXPECT_EQ(json["dataset"], "image-folder");
  EXPECT_EQ(json["validation"], m_files.size());
  EXPECT_EQ(json["classes"].size(), 9u);
  const std::string text = inspectedLine(run({"inspect", m_images}));
  EXPECT_TRUE(tells(text, "a dataset, image-folder: training")) << text;
  EXPECT_TRUE(tells(text, "9 classes: ")) << text;
}

TEST_F(InspectInputsCliTest, AnImageByItsPixels) {
  const auto json = run({"inspect", m_files.front(), "--json"}).json();
  EXPECT_EQ(json["kind"], "an image");
  EXPECT_GT(json["width"].get<int>(), 0);
  EXPECT_TRUE(tells(inspectedLine(run({"inspect", m_files.front()})), " pixels"));
}

TEST_F(InspectInputsCliTest, AConfigByItsModel) {
  const std::string text = inspectedLine(run({"inspect", write("vit.json", tinyTraining())}));
  EXPECT_TRUE(tells(text, "a config, model vit")) << text;
}

/// Trainers' checkpoints end in .tar and make no shards of the folder.
TEST_F(InspectInputsCliTest, AFolderOfCheckpointsByItsModels) {
  fs::create_directories(path("models"));
  fs::copy_file(kGolden / "field/mocov3_vit-s.pth.tar", path("models/checkpoint.pth.tar"));
  const auto json = run({"inspect", path("models"), "--json"}).json();
  EXPECT_EQ(json["kind"], "a folder");
  EXPECT_EQ(json["models"], 1);
  EXPECT_EQ(json["images"], 0);
}

TEST_F(InspectInputsCliTest, WhatNothingReadsIsAnError) {
  expectError(run({"inspect", write("notes.txt", std::string("words"))}), 3,
              {"notes.txt", "not a supported kind of file"});
  expectError(run({"inspect", path("missing")}), 3, {"missing", "does not exist"});
  expectError(run({"inspect", m_files.front(), "--against", write("a.json", tinyTraining())}), 3,
              {m_files.front().filename().string()});
}

}  // namespace
}  // namespace headlight::testing
