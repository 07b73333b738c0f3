// SPDX-License-Identifier: GPL-3.0-or-later

// evaluate, class by class: the same images as evaluate alone, counted by class.

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

TEST_F(ClassesCliTest, CountsTheSameImages) {
  const json whole = run({"evaluate", "--weights", "a/last.safetensors", "--json"}).json();
  const json reported =
      run({"evaluate", "--weights", "a/last.safetensors", "--classes", "--worst", "3",
           "--classes-csv", "classes.csv", "--confusion", "confusion.csv", "--json"})
          .json();
  EXPECT_EQ(reported["images"], whole["images"]);
  EXPECT_EQ(reported["top1"], whole["top1"]);
  EXPECT_NEAR(reported["loss"], whole["loss"], 1e-5);
  ASSERT_EQ(reported["classes"].size(), 9u);
  double right = 0, images = 0;
  for (const json& one : reported["classes"]) {
    right += one["top1"].get<double>() * one["images"].get<double>();
    images += one["images"].get<double>();
  }
  EXPECT_EQ(images, 18);
  EXPECT_NEAR(right / images, whole["top1"], 1e-9);
  int counted = 0;
  for (const json& row : reported["confusion"])
    for (const json& count : row)
      counted += count.get<int>();
  EXPECT_EQ(counted, 18);
  ASSERT_EQ(reported["worst"].size(), 3u);
  EXPECT_GE(reported["worst"][0]["loss"], reported["worst"][1]["loss"]);
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
  expectError(run({"evaluate", "--weights", "a/last.safetensors", "--classes", "--drop-branch"}), 2,
              {"--classes"});
  expectError(
      run({"evaluate", "--weights", "a/last.safetensors", "--worst", "1", "--beside", "none"}), 2,
      {"--classes", "--beside"});
}

}  // namespace
}  // namespace headlight::testing
