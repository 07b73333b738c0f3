// SPDX-License-Identifier: GPL-3.0-or-later

// attend --show of explanations, against golden values of PyTorch's own autograd
// (golden/make_ways_golden.py), and what it refuses.

#include <algorithm>
#include <cmath>

#include "core/workbench/attribution/Explanations.h"
#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

class ExplainCliTest : public ImagesCliTest {
 protected:
  Tensors show(Arguments arguments) const {
    arguments.insert(arguments.begin(), {"attend", "--tensor", kGolden / "vit_micro.io.safetensors",
                                         "-o", "out.safetensors", "--device", "cpu", "--show"});
    const auto outcome = runWithModel(arguments);
    expectOk(outcome);
    return readTensors(path("out.safetensors"));
  }
};

TEST_F(ExplainCliTest, HeatsAreThoseOfAutograd) {
  const auto golden = readTensors(kGolden / "ways_micro.safetensors");
  for (const std::string method : {"relevance", "attention-gradient", "grad-cam"}) {
    const auto out = show({method, "--class", "4"});
    EXPECT_EQ(out.size(), 2u) << method;  // and the logits
    EXPECT_LT(greatestDifference(out.at(method), golden.at(method)), 1e-5) << method;
  }
  EXPECT_LT(greatestDifference(show({"similarity", "--query", "6"}).at("similarity"),
                               golden.at("similarity")),
            1e-5);
}

TEST_F(ExplainCliTest, FeaturesColorsAndDepthAreThoseOfAutograd) {
  const auto golden = readTensors(kGolden / "ways_micro.safetensors");
  const auto features = show({"feature-pca"});
  EXPECT_LT(greatestDifference(features.at("features"), golden.at("features")), 1e-4);
  EXPECT_LT(greatestDifference(features.at("colors"), golden.at("colors")), 1e-4);
  EXPECT_LT(greatestDifference(show({"logit-lens"}).at("depth"), golden.at("depth")), 1e-5);
  // As older versions named them.
  EXPECT_EQ(show({"features"}).at("colors").floats(), features.at("colors").floats());
  EXPECT_LT(greatestDifference(show({"depth"}).at("depth"), golden.at("depth")), 1e-5);
}

TEST_F(ExplainCliTest, TheClassIsThePredictedOneUnlessNamed) {
  const auto predicted = runWithModel({"attend", m_files[0], "--show", "relevance", "--json"});
  expectOk(predicted);
  const auto result = predicted.json()["results"][0];
  EXPECT_EQ(result["heat"]["class"], result["top"][0]["index"]);
  EXPECT_EQ(result["heat"]["values"].size(), 64u);
  EXPECT_EQ(result["files"].size(), 1u);
  EXPECT_TRUE(fs::exists(path(result["files"][0])));
  EXPECT_NE(result["heat"]["title"].get<std::string>().find("class relevance for class "),
            std::string::npos);
  const auto other = runWithModel(
      {"attend", m_files[0], "--show", "grad-cam", "--class", "7", "--layer", "1", "--json"});
  expectOk(other);
  EXPECT_EQ(other.json()["results"][0]["heat"]["class"], 7);
  EXPECT_EQ(other.json()["results"][0]["heat"]["layer"], 1);
}

TEST_F(ExplainCliTest, ColorsOfSeveralImagesAreFoundTogether) {
  Arguments arguments{"attend", m_files[0],         m_files[1], "--show", "features",
                      "-o",     "both.safetensors", "-p",       "colors", "--json"};
  const auto both = runWithModel(arguments);
  expectOk(both);
  EXPECT_EQ(both.json()["show"], "feature-pca");
  EXPECT_NE(
      both.json()["results"][0]["colors"]["note"].get<std::string>().find("of 2 images together"),
      std::string::npos);
  EXPECT_EQ(both.json()["results"][1]["files"].size(), 1u);
  arguments.erase(arguments.begin() + 2);
  arguments.push_back("--foreground");
  const auto alone = runWithModel(arguments);
  expectOk(alone);
  int missing = 0;
  for (const float value : readTensors(path("both.safetensors")).at("colors").floats())
    missing += std::isnan(value) ? 1 : 0;
  EXPECT_GT(missing, 0);
  EXPECT_LT(missing, 3 * 64);
}

TEST_F(ExplainCliTest, FaithfulnessComparesMethodsWithRandomOrder) {
  const auto outcome =
      runWithModel({"attend", m_files[0], "--show", "faithfulness", "-p", "faith", "--json"});
  expectOk(outcome);
  const auto methods = outcome.json()["results"][0]["faithfulness"]["methods"];
  const auto heatmaps = std::count_if(explanationMethods().begin(), explanationMethods().end(),
                                      std::mem_fn(&ExplanationInfo::isImageHeatmap));
  ASSERT_EQ(methods.size(), heatmaps + 3u);  // and rollout, attention, random
  EXPECT_EQ(methods.back()["method"], "random order");
  for (const auto& method : methods) {
    EXPECT_EQ(method["shares"].front(), 0.0);
    EXPECT_EQ(method["shares"].back(), 1.0);
    // All there at one end, nothing at the other, whatever the order.
    EXPECT_NEAR(method["deletion"]["probability"].front().get<double>(),
                method["insertion"]["probability"].back().get<double>(), 1e-6);
    EXPECT_NEAR(method["deletion"]["probability"].back().get<double>(),
                method["insertion"]["probability"].front().get<double>(), 1e-6);
  }
  EXPECT_EQ(
      readBytes(path("faith") /
                fs::path(outcome.json()["results"][0]["files"][0].get<std::string>()).filename())
          .substr(0, 30),
      "method,curve,share,probability");
}

TEST_F(ExplainCliTest, WhatCannotBeIsRefused) {
  const auto refused = [&](Arguments arguments, const std::vector<std::string>& words, int code) {
    arguments.insert(arguments.begin(), {"attend", m_files[0].string(), "--show"});
    expectError(runWithModel(arguments), code, words);
  };
  refused({"relevance", "--class", "10"}, {"class 10", "from 0 to 9"}, 2);
  refused({"relevance", "--class", "goldfinch"}, {"goldfinch", "from 0 to 9"}, 2);
  refused({"grad-cam", "--layer", "3"}, {"--layer", "from 0 to 2"}, 2);
  refused({"attention", "--class", "1"}, {"--class", "input-gradient"}, 2);
  refused({"attention", "--foreground"}, {"--foreground", "feature-pca"}, 2);
  refused({"relevence"}, {"relevance"}, 2);
}

}  // namespace
}  // namespace headlight::testing
