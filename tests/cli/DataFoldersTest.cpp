// SPDX-License-Identifier: GPL-3.0-or-later

// Folders as people have them: which splits they hold, what is measured, what is passed over, and
// what is said of it.

#include <algorithm>

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class DataFoldersCliTest : public ImagesCliTest {
 protected:
  void SetUp() override {
    ImagesCliTest::SetUp();
    json config = tinyTraining();
    config["training"]["epochs"] = 1;
    expectOk(run({"train", write("drawn.json", config), "--run", "drawn"}));
    m_weights = path("drawn/last.safetensors");
  }

  /// An evaluation of a model that knows the classes and was trained on drawn images.
  Outcome evaluated(const fs::path& data) const {
    return run({"evaluate", "--weights", m_weights, "--data", data, "--json"});
  }
  /// A run of one epoch of the tiny model.
  Outcome trained(const fs::path& data, const std::string& run) const {
    json config = tinyTraining();
    config["training"]["epochs"] = 1;
    config["data"] = {{"dataset", "image-folder"}, {"path", data}, {"loader_threads", 1}};
    return this->run({"train", write(run + ".json", config), "--run", run});
  }
  /// A copy of the images with other names of the splits.
  fs::path renamed(const std::string& train, const std::string& val) const {
    const fs::path folder = path(train + "-" + val);
    fs::create_directories(folder);
    fs::copy(m_images / "train", folder / train, fs::copy_options::recursive);
    fs::copy(m_images / "val", folder / val, fs::copy_options::recursive);
    return folder;
  }

  fs::path m_weights;
};

bool says(const Outcome& outcome, const std::string& text) {
  return outcome.err.find(text) != std::string::npos;
}

TEST_F(DataFoldersCliTest, CapitalsAreSplitsAndNoClasses) {
  const auto measured = evaluated(renamed("Train", "Test"));
  expectOk(measured);
  EXPECT_EQ(measured.json()["images"], 9);
  EXPECT_TRUE(says(measured, "Train/ is the training split and Test/ is the validation split"))
      << measured.err;
  const auto trains = trained(path("Train-Test"), "capitals");
  expectOk(trains);
  EXPECT_TRUE(says(trains, "Test/ is the validation split")) << trains.err;
  const json config = json::parse(readBytes(path("capitals/config.json")));
  EXPECT_EQ(config["model"]["classes"], 9);
}

TEST_F(DataFoldersCliTest, AFolderOfClassesIsMeasuredWhole) {
  const auto measured = evaluated(m_images / "train");
  expectOk(measured);
  EXPECT_EQ(measured.json()["images"], 18);
  EXPECT_TRUE(says(measured, "all of it is used for validation (18 images)")) << measured.err;
}

TEST_F(DataFoldersCliTest, WhatItWasTrainedOnIsNotMeasured) {
  const fs::path data = m_images / "train";  // two images of each class: one of them validates
  const auto trains = trained(data, "shared");
  expectOk(trains);
  EXPECT_TRUE(says(trains, "9 of its 18 images are kept for validation")) << trains.err;
  for (const Arguments& more :
       {Arguments{}, Arguments{"--data", data}, Arguments{"--data", m_images / "train/../train"}}) {
    Arguments arguments{"evaluate", "--weights", "shared/last.safetensors", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto own = run(arguments);
    expectOk(own);
    EXPECT_EQ(own.json()["images"], 9);
  }
  const auto other = run(
      {"evaluate", "--weights", "shared/last.safetensors", "--json", "--data", m_images / "val"});
  expectOk(other);
  EXPECT_EQ(other.json()["images"], 9);
  EXPECT_TRUE(says(other, "all of it is used for validation")) << other.err;
}

TEST_F(DataFoldersCliTest, SequencesAreMeasuredOnTheSameImages) {
  const fs::path data = m_images / "train";
  const Arguments other{"--data.dataset", "image-folder", "--data.path", data};
  const auto trainedOn = [&](const std::string& run, const Arguments& more) {
    Arguments arguments{"sequence",
                        "train",
                        "--run",
                        run,
                        "--device",
                        "cpu",
                        "--threads",
                        "1",
                        "--data.image_size",
                        "6",
                        "--model.width",
                        "12",
                        "--model.depth",
                        "1",
                        "--training.steps",
                        "2",
                        "--training.batch_size",
                        "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expectOk(this->run(arguments));
  };
  trainedOn("on-drawn", {"--data.train_samples", "18", "--data.validation_samples", "9"});
  trainedOn("on-folder", other);
  Arguments evaluate{"sequence", "evaluate", "on-drawn", "--json"};
  evaluate.insert(evaluate.end(), other.begin(), other.end());
  const auto whole = run(evaluate);
  expectOk(whole);
  EXPECT_EQ(whole.json()["sequences"], 18);
  const auto share = run({"sequence", "evaluate", "on-folder", "--json"});
  expectOk(share);
  EXPECT_EQ(share.json()["sequences"], 9);
}

TEST_F(DataFoldersCliTest, AMissingClassIsSaidAndNotValidated) {
  const std::string name = m_files[0].parent_path().filename();
  fs::remove_all(m_files[0].parent_path());
  const auto measured = evaluated(m_images);
  expectOk(measured);
  EXPECT_EQ(measured.json()["images"], 8);
  EXPECT_TRUE(says(measured, "has no images of " + name)) << measured.err;
}

TEST_F(DataFoldersCliTest, CountsSkippedFilesByKind) {
  const fs::path place = m_files[0].parent_path();
  for (const std::string file : {"a.gif", "b.gif", "c.jp2"})
    fs::copy(m_files[0], place / file);
  const auto measured = evaluated(m_images);
  expectOk(measured);
  EXPECT_TRUE(says(measured, "3 files are not read (2 .gif, 1 .jp2)")) << measured.err;
  EXPECT_EQ(json::parse(measured.err.substr(0, measured.err.find('\n'))).count("warning"), 1u)
      << measured.err;
  const auto predicted = runWithModel({"predict", place, "--json"});
  expectOk(predicted);
  EXPECT_TRUE(says(predicted, "3 files are not read (2 .gif, 1 .jp2)")) << predicted.err;
  fs::remove(m_files[0]);
  expectError(runWithModel({"predict", place}), 3, {"contains no images", "2 .gif"});
}

TEST_F(DataFoldersCliTest, FoldersOfImagesAreTakenWithTheirFolders) {
  const auto predicted = runWithModel({"predict", m_images, "--json"});
  expectOk(predicted);
  EXPECT_EQ(predicted.json()["results"].size(), 27u);
}

TEST_F(DataFoldersCliTest, AFolderWithoutImagesSaysWhatItIs) {
  const auto outcome = run({"predict", "--weights", m_weights, path("drawn")});
  EXPECT_NE(outcome.exitCode, 0);
  EXPECT_TRUE(says(outcome, "contains no images")) << outcome.err;
  EXPECT_TRUE(says(outcome, "it is the folder of a training run")) << outcome.err;
}

TEST_F(DataFoldersCliTest, OneDamagedFileIsOne) {
  write(fs::relative(m_files[0].parent_path() / "broken.png", path("")), std::string("no image"));
  const auto one = evaluated(m_images);
  expectOk(one);
  EXPECT_TRUE(says(one, "1 damaged file was skipped")) << one.err;
}

TEST_F(DataFoldersCliTest, NamesFilesThatAreNotData) {
  write("classes.zip", std::string("PK\x03\x04") + std::string(60, '\0'));
  for (const Arguments& data :
       {Arguments{"--data", "classes.zip"},
        Arguments{"--data.dataset", "image-folder", "--data.path", "classes.zip"}}) {
    Arguments arguments{"evaluate", "--weights", m_weights};
    arguments.insert(arguments.end(), data.begin(), data.end());
    const auto outcome = run(arguments);
    EXPECT_NE(outcome.exitCode, 0);
    EXPECT_TRUE(says(outcome, "ZIP archive")) << outcome.err;
  }
  fs::create_directories(path("flat"));
  fs::copy(m_images / "train", path("flat/train"), fs::copy_options::recursive);
  fs::create_directories(path("flat/val"));
  for (const fs::path& file : m_files)
    fs::copy(file, path("flat/val") / (file.parent_path().filename().string() + ".png"));
  write("flat/LOC_val_solution.csv", std::string("ImageId,PredictionString\n"));
  const auto flat = evaluated(path("flat"));
  EXPECT_NE(flat.exitCode, 0);
  EXPECT_TRUE(says(flat, "holds 9 images and no class folders")) << flat.err;
  EXPECT_TRUE(says(flat, "LOC_val_solution.csv")) << flat.err;
  const auto missing = evaluated(path("missing"));
  EXPECT_NE(missing.exitCode, 0);
  EXPECT_TRUE(says(missing, "does not exist")) << missing.err;
}

TEST_F(DataFoldersCliTest, MeasuresWhatAListLabels) {
  fs::create_directories(path("listed/images"));
  std::string list = "image,label\n";
  for (const fs::path& file : m_files) {
    const std::string name = file.parent_path().filename();
    fs::copy(file, path("listed/images") / (name + ".png"));
    list += name + ".png," + name + "\n";
  }
  write("listed/labels.csv",
        list + "gone.png," + m_files[0].parent_path().filename().string() + "\n");
  const auto measured = evaluated(path("listed"));
  expectOk(measured);
  EXPECT_EQ(measured.json()["images"], 9);
  EXPECT_TRUE(
      says(measured, "labels are read from labels.csv; 1 of its 10 images is missing (gone.png)"))
      << measured.err;
}

TEST_F(DataFoldersCliTest, ARunThatBeganOnAnotherReadingSaysSo) {
  const fs::path data = renamed("train", "holdout");  // shared out
  expectOk(trained(data, "early"));
  fs::rename(data / "holdout", data / "Val");  // as a folder that an older program passed over
  json config = json::parse(readBytes(path("early/config.json")));
  const auto resumed = run({"train", "--resume", "early"});
  EXPECT_TRUE(says(resumed, "Val/ is the validation split")) << resumed.err;
  EXPECT_TRUE(says(resumed, "when the run began")) << resumed.err;
}

}  // namespace
}  // namespace headlight::testing
