// SPDX-License-Identifier: GPL-3.0-or-later

// adapt: a probe on folders and on classes by hand, saved, measured again by evaluate; masks beside;
// what is refused.

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class AdaptCliTest : public ImagesCliTest {
 protected:
  Outcome adapt(Arguments more) const {
    Arguments arguments{"adapt", "--data", m_images, "--device", "cpu", "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return runWithModel(arguments);
  }
};

TEST_F(AdaptCliTest, SavesAModelThatEvaluateMeasuresAlike) {
  const Outcome outcome = adapt({"--features", "own.bin", "-o", "taught.safetensors", "--worst",
                                 "2", "--confusion", "confusion.csv", "--json"});
  expectOk(outcome);
  const json taught = outcome.json();
  EXPECT_EQ(taught["token"], "token");
  EXPECT_EQ(taught["features"], 48);
  EXPECT_EQ(taught["classes"].size(), 9u);
  EXPECT_EQ(taught["probe"]["images"], 9);
  EXPECT_LE(taught["probe"]["low"], taught["probe"]["top1"]);
  EXPECT_GE(taught["probe"]["high"], taught["probe"]["top1"]);
  EXPECT_EQ(taught["computed"], 27);
  EXPECT_EQ(taught["worst"].size(), 2u);
  EXPECT_TRUE(readBytes(path("confusion.csv")).starts_with("class,\""));

  const json measured =
      run({"evaluate", "--weights", "taught.safetensors", "--data", m_images, "--json"}).json();
  EXPECT_EQ(measured["images"], 9);
  EXPECT_DOUBLE_EQ(measured["top1"].get<double>(), taught["probe"]["top1"].get<double>());
  EXPECT_NEAR(measured["loss"].get<double>(), taught["loss"].get<double>(), 1e-3);
  const json predicted =
      run({"predict", m_files[0].string(), "--weights", "taught.safetensors", "--json"}).json();
  EXPECT_FALSE(predicted.empty());

  const json again = adapt({"--features", "own.bin", "--json"}).json();
  EXPECT_EQ(again["computed"], 0);
  EXPECT_EQ(again["reused"], 27);
  EXPECT_EQ(again["probe"], taught["probe"]);
}

TEST_F(AdaptCliTest, TellsWhatMasksDo) {
  const Outcome outcome = adapt({"--no-cache", "--beside", "sch2", "--json"});
  expectOk(outcome);
  const json beside = outcome.json()["beside"];
  EXPECT_EQ(beside["masks"], "sch2");
  for (const char* probe : {"same_probe", "fitted_again", "knn"})
    EXPECT_EQ(beside[probe]["images"], 9) << probe;
}

TEST_F(AdaptCliTest, ReadsAsText) {
  const Outcome outcome = adapt({"--no-cache", "--classes", "--token", "both", "--layers", "2"});
  expectOk(outcome);
  for (const char* words : {"144 features (both)", "27 images computed",
                            "linear probe: ", "95 % interval", "k-NN: ", "training  held out"})
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << "\n" << outcome.out;
}

TEST_F(AdaptCliTest, TakesClassesByHand) {
  const std::string first = m_files[0].string(), second = m_files[1].string();
  const Outcome outcome = runWithModel(
      {"adapt", "--no-cache", "--class", "one=" + first, "--class", "two=" + second, "--json"});
  expectOk(outcome);
  const json taught = outcome.json();
  ASSERT_EQ(taught["classes"].size(), 2u);
  EXPECT_EQ(taught["classes"][1]["name"], "two");
  EXPECT_TRUE(taught["probe"].is_null());
  EXPECT_NE(taught["notes"].dump().find("No image was held out"), std::string::npos);
  expectError(runWithModel({"adapt", "--no-cache", "--class", "one=" + first}), 2,
              {"one class", "second"});
  expectError(runWithModel({"adapt", "--no-cache", "--class", first}), 2, {"NAME=IMAGE"});
}

TEST_F(AdaptCliTest, RefusesWhatDoesNotFit) {
  expectError(adapt({"--layers", "2", "-o", "x.safetensors"}), 2, {"--output", "--layers"});
  expectError(adapt({"--no-cache", "--features", "own.bin"}), 2, {"--no-cache"});
  expectError(adapt({"--no-cache", "--match", "index"}), 2, {"--match"});
  expectError(adapt({"--no-cache", "--class", "a=b.png"}), 2, {"--class", "--data"});
  expectError(adapt({"--no-cache", "--l2", "0"}), 2, {"l2"});
  expectOk(adapt({"--features", "own.bin"}));
  expectError(adapt({"--features", "own.bin", "--masks", "sch2"}), 2, {"other masks", "own.bin"});
}

}  // namespace
}  // namespace headlight::testing
