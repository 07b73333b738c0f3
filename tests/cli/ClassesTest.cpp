// SPDX-License-Identifier: GPL-3.0-or-later

// evaluate, class by class: the same pictures as evaluate alone, counted by class.

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class ClassesCliTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    json config = tinyTraining();
    config["training"]["epochs"] = 1;
    expectOk(run({"train", write("config.json", config), "--run", "a"}));
  }
};

TEST_F(ClassesCliTest, CountsTheSamePictures) {
  const json whole = run({"evaluate", "--weights", "a/last.safetensors", "--json"}).json();
  const json told = run({"evaluate", "--weights", "a/last.safetensors", "--classes", "--worst", "3",
                         "--classes-csv", "classes.csv", "--confusion", "confusion.csv", "--json"})
                        .json();
  EXPECT_EQ(told["images"], whole["images"]);
  EXPECT_EQ(told["top1"], whole["top1"]);
  EXPECT_NEAR(told["loss"], whole["loss"], 1e-5);
  ASSERT_EQ(told["classes"].size(), 9u);
  double right = 0, images = 0;
  for (const json& one : told["classes"]) {
    right += one["top1"].get<double>() * one["images"].get<double>();
    images += one["images"].get<double>();
  }
  EXPECT_EQ(images, 18);
  EXPECT_NEAR(right / images, whole["top1"], 1e-9);
  int counted = 0;
  for (const json& row : told["confusion"])
    for (const json& count : row)
      counted += count.get<int>();
  EXPECT_EQ(counted, 18);
  ASSERT_EQ(told["worst"].size(), 3u);
  EXPECT_GE(told["worst"][0]["loss"], told["worst"][1]["loss"]);
  EXPECT_TRUE(readBytes(path("classes.csv")).starts_with("class,name,pictures,top1,top5,loss\n0,"));
  EXPECT_TRUE(readBytes(path("confusion.csv")).starts_with("class,\""));
}

TEST_F(ClassesCliTest, ReadsAsATable) {
  const Outcome outcome =
      run({"evaluate", "--weights", "a/last.safetensors", "--classes", "--worst", "2"});
  expectOk(outcome);
  for (const char* words : {"18 images", "class", "top-5", " taken for ", "loss"})
    EXPECT_NE(outcome.out.find(words), std::string::npos) << outcome.out;
}

TEST_F(ClassesCliTest, IsOfOneEvaluation) {
  expectError(run({"evaluate", "--weights", "a/last.safetensors", "--classes", "--castle"}), 2,
              {"--classes"});
  expectError(
      run({"evaluate", "--weights", "a/last.safetensors", "--worst", "1", "--beside", "none"}), 2,
      {"--classes", "--beside"});
}

}  // namespace
}  // namespace headlight::testing
