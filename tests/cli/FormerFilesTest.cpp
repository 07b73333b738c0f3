// SPDX-License-Identifier: GPL-3.0-or-later

// Files of version 0.1 (tests/golden/former), with the names that options and keys had then: configs
// of schema 1 to 3, a stopped run, a run of a sequence model, cached results and a figure page.

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class FormerFilesCliTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    fs::copy(kGolden / "former", m_folder, fs::copy_options::recursive);
  }
  json attentionOf(const std::string& run) const {
    return json::parse(readBytes(path(run + "/config.json")))["model"]["attention"];
  }
};

TEST_F(FormerFilesCliTest, ConfigsOfEverySchemaTrain) {
  for (const std::string schema : {"1", "2", "3"}) {
    expectOk(run(
        {"train", "config" + schema + ".json", "--run", "new" + schema, "--training.epochs", "1"}));
    EXPECT_EQ(attentionOf("new" + schema)["factorized"], true) << schema;
    EXPECT_EQ(attentionOf("new" + schema)["rank"], 2) << schema;
  }
}

TEST_F(FormerFilesCliTest, AStoppedRunGoesOnLikeOneThatNeverStopped) {
  expectOk(run({"train", "run/config.json", "--run", "whole"}));
  expectOk(run({"train", "--resume", "run"}));
  const auto lastLine = [&](const std::string& folder) {
    std::string text = readBytes(path(folder + "/metrics.csv"));
    text.pop_back();
    return text.substr(text.rfind('\n') + 1);
  };
  // epoch, step, rate, losses, accuracies: all but the time that it took.
  const std::string whole = lastLine("whole"), resumed = lastLine("run");
  ASSERT_EQ(whole.substr(0, 7), "60,120,");
  EXPECT_EQ(resumed.substr(0, 7), "60,120,");
  const auto loss = [](const std::string& line) {
    std::stringstream cells(line);
    std::string cell;
    for (int i = 0; i < 4; ++i)
      std::getline(cells, cell, ',');
    return std::stod(cell);
  };
  EXPECT_NEAR(loss(resumed), loss(whole), 1e-4);  // float32, and perhaps another processor
}

TEST_F(FormerFilesCliTest, ARunsRecordsAreRead) {
  const Outcome evolution = run({"evolution", "run", "--json"});
  expectOk(evolution);
  EXPECT_EQ(evolution.json()["grid"], json({2, 2}));
  const Outcome runs = run({"runs", "run", "--json"});
  expectOk(runs);
  EXPECT_NE(runs.out.find("former"), std::string::npos) << runs.out;
}

TEST_F(FormerFilesCliTest, CachedResultsAreShownInsteadOfMeasuredAgain) {
  fs::create_directories(path("home/headlight"));
  fs::rename(path("results"), path("home/headlight/results"));
  const Outcome evaluated =
      runAtHome({"evaluate", "--model", "run/best.safetensors", "--classes", "--keep", "--json"});
  expectOk(evaluated);
  EXPECT_NE(evaluated.out.find("2026-11-25T10:42:52Z"), std::string::npos) << evaluated.out;
  const Outcome similarity = runAtHome({"similarity", "--model", "run/best.safetensors",
                                        "--data.dataset", "texture-shape", "--keep", "--json"});
  expectOk(similarity);
  EXPECT_NE(similarity.out.find("2026-11-25T10:42:43Z"), std::string::npos) << similarity.out;
}

TEST_F(FormerFilesCliTest, ARunOfASequenceModelIsEvaluated) {
  const Outcome evaluated = run({"sequence", "evaluate", "sequence", "--json"});
  expectOk(evaluated);
  EXPECT_NE(evaluated.out.find("7.99"), std::string::npos) << evaluated.out;
}

TEST_F(FormerFilesCliTest, AFigurePageIsDrawnAndSavedByPresentNames) {
  expectOk(run({"make-dataset", "images", "--size", "40", "--train", "9", "--val", "9"}));
  fs::path image;
  for (const auto& entry : fs::recursive_directory_iterator(path("images")))
    if (entry.path().extension() == ".png" || entry.path().extension() == ".jpg")
      image = entry.path();
  ASSERT_FALSE(image.empty());
  fs::copy_file(image, path("a.png"));
  fs::copy_file(path("run/best.safetensors"), path("best.safetensors"));
  expectOk(run({"figure", "page.json", "-o", "page.png", "--save-page", "present.json"}));
  const json page = json::parse(readBytes(path("present.json")));
  EXPECT_EQ(page["images"].size(), 1u);
  EXPECT_EQ(page["columns"][0], "image");
  EXPECT_EQ(page["columns"][2], "feature-pca (layer 0)");
  EXPECT_EQ(page["options"]["colormap"], "gray");
}

TEST_F(FormerFilesCliTest, ASearchResumes) {
  std::string state = readBytes(path("search/search.json"));
  state.replace(state.find("WEIGHTS"), 7, path("search/weights.safetensors").string());
  write("search/search.json", state);
  const Outcome resumed = run({"search", "--weights", "search/weights.safetensors", "--method",
                               "greedy", "--first_order", "yes", "-o", "search"});
  expectOk(resumed);
  EXPECT_TRUE(fs::exists(path("search/scheme.json")));
}

}  // namespace
}  // namespace headlight::testing
