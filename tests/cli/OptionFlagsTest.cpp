// SPDX-License-Identifier: GPL-3.0-or-later

// Options of a mechanism or a backbone as flags: --model.attention.X and --model.layout.X.

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class OptionFlagsCliTest : public CliTest {
 protected:
  /// One epoch of the tiny training with these flags, unmasked; its model as the run wrote it down.
  json modelOf(const json& model, const Arguments& flags) const {
    fs::remove_all(path("run"));
    const auto outcome = train(model, flags);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    if (outcome.exitCode != 0) return json::object();
    return json::parse(readBytes(path("run/config.json")))["model"];
  }
  Outcome train(const json& model, const Arguments& flags) const {
    json config = tinyTraining();
    config["model"].update(model);
    config["masks"] = {{"scheme", "none"}};
    config["training"]["epochs"] = 1;
    config["telemetry"]["als_steps"] = 0;
    Arguments arguments{"train", write("config.json", config), "--run", "run"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return run(arguments);
  }
  void expectRefused(const json& model, const Arguments& flags,
                     const std::vector<std::string>& words) const {
    expectError(train(model, flags), 2, words);
    EXPECT_FALSE(fs::exists(path("run")));
  }
};

const json kLevitModel{{"backbone", "levit"},   {"patch_size", 16}, {"class_token", false},
                       {"positions", "none"},   {"depths", {1, 1}}, {"stage_widths", {16, 24}},
                       {"stage_heads", {2, 2}}, {"image_size", 32}};

TEST_F(OptionFlagsCliTest, AreThoseOfTheMechanismThatFlagsChoose) {
  // In any order: names come first.
  const json model = modelOf(
      json::object(), {"--model.attention.residual", "grid", "--model.attention.auxiliary", "off",
                       "--model.attention.epsilon=0.25", "--model.mechanism", "linear_angular"});
  EXPECT_EQ(model["mechanism"], "linear_angular");
  EXPECT_EQ(model["attention"]["residual"], "grid");
  EXPECT_EQ(model["attention"]["auxiliary"], false);
  EXPECT_EQ(model["attention"]["epsilon"], 0.25);
}

TEST_F(OptionFlagsCliTest, AreThoseOfTheConfigsMechanismAndReplaceItsValues) {
  const json angular{{"mechanism", "linear_angular"},
                     {"attention", {{"residual", "none"}, {"epsilon", 0.5}}}};
  for (const std::string yes : {"yes", "on", "1", "true"}) {
    const json options = modelOf(angular, {"--model.attention.without_branch", yes})["attention"];
    EXPECT_EQ(options["without_branch"], true) << yes;
    EXPECT_EQ(options["residual"], "none");
    EXPECT_EQ(options["epsilon"], 0.5);
  }
}

TEST_F(OptionFlagsCliTest, FormerSpellingsAreAcceptedAndNotShown) {
  const json angular{{"mechanism", "linear_angular"}, {"attention", json::object()}};
  const json options = modelOf(angular, {"--model.attention.castled", "yes"})["attention"];
  EXPECT_EQ(options["without_branch"], true);
  EXPECT_FALSE(options.contains("castled"));
  const std::string help = run({"train", "--help"}).out;
  EXPECT_NE(help.find("--model.attention.without_branch"), std::string::npos);
  EXPECT_EQ(help.find("--model.attention.castled"), std::string::npos);
}

TEST_F(OptionFlagsCliTest, AreThoseOfTheBackboneToo) {
  // A list of one number is a list.
  const json layout = modelOf(kLevitModel, {"--model.layout.key_widths", "8",
                                            "--model.layout.downsample_heads", "3"})["layout"];
  EXPECT_EQ(layout["key_widths"], std::vector<int>{8});
  EXPECT_EQ(layout["downsample_heads"], std::vector<int>{3});
  EXPECT_EQ(modelOf(kLevitModel, {"--model.layout.key_widths", "8,4"})["layout"]["key_widths"],
            (std::vector<int>{8, 4}));
}

TEST_F(OptionFlagsCliTest, OfAPublishedModelAreKnownByItsName) {
  const auto outcome = run({"train", "--model", "levit_micro", "--model.layout.query_pooling",
                            "during", "--run", "run"});
  expectError(outcome, 2, {"model.layout.query_pooling", "before", "after"});
}

TEST_F(OptionFlagsCliTest, AnotherMechanismForgetsTheOptionsOfTheFormer) {
  const json angular{{"mechanism", "linear_angular"}, {"attention", {{"epsilon", 0.5}}}};
  const json model =
      modelOf(angular, {"--model.mechanism", "aft_full", "--model.attention.rank", "4"});
  EXPECT_EQ(model["mechanism"], "aft_full");
  EXPECT_EQ(model["attention"]["rank"], 4);
  EXPECT_FALSE(model["attention"].contains("epsilon"));
  // The same mechanism again is no other one.
  EXPECT_EQ(modelOf(angular, {"--model.mechanism", "linear_angular"})["attention"]["epsilon"], 0.5);
}

TEST_F(OptionFlagsCliTest, AreRefusedWhereTheModelHasNone) {
  expectRefused(json::object(), {"--model.attention.without_branch", "yes"},
                {"model.attention.without_branch", "softmax", "summary --mechanisms"});
  expectRefused(json::object(), {"--model.layout.key_widths", "8"},
                {"model.layout.key_widths", "vit", "summary --backbones"});
  expectRefused(json::object(), {"--model.attention.residul", "grid"},
                {"--model.attention.residul", "--model.attention.residual"});
}

TEST_F(OptionFlagsCliTest, OfAWrongTypeOrRangeAreRefused) {
  const json angular{{"mechanism", "linear_angular"}};
  expectRefused(angular, {"--model.attention.epsilon", "small"},
                {"model.attention.epsilon", "small"});
  expectRefused(angular, {"--model.attention.epsilon", "2"}, {"model.attention.epsilon", "0 to 1"});
  expectRefused(angular, {"--model.attention.residual", "rows"},
                {"model.attention.residual", "tokens", "grid"});
  expectRefused(kLevitModel, {"--model.layout.key_widths", "wide"}, {"model.layout.key_widths"});
}

TEST_F(OptionFlagsCliTest, EveryOneThatSummaryNamesIsAFlag) {
  const std::string help = run({"train", "--help"}).out, sweep = run({"sweep", "--help"}).out;
  for (const auto& [listing, section] :
       {std::pair{"--mechanisms", "attention"}, std::pair{"--backbones", "layout"}}) {
    const auto listed = run({"summary", listing, "--json"});
    expectOk(listed);
    int options = 0;
    for (const json& variant : listed.json())
      for (const json& option : variant["options"]) {
        const std::string flag =
            std::string("--model.") + section + "." + option["name"].get<std::string>() + " ";
        EXPECT_NE(help.find(flag), std::string::npos) << flag;
        EXPECT_NE(sweep.find(flag), std::string::npos) << flag;
        ++options;
      }
    EXPECT_GT(options, 5);
  }
}

TEST_F(OptionFlagsCliTest, ALevitWithClassLayersIsRefusedNotRun) {
  const auto config =
      write("levit.json", json{{"model", {{"name", "levit_micro"}, {"class_depth", 2}}}});
  expectError(run({"summary", config}), 2, {"model.class_depth", "LeViT"});
  expectError(run({"train", config, "--run", "run"}), 2, {"model.class_depth", "LeViT"});
}

}  // namespace
}  // namespace headlight::testing
