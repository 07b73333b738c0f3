// SPDX-License-Identifier: GPL-3.0-or-later

// The baselines of AFT's tables as a user runs them: counted, trained, measured, continued, looked
// at, and refused by path.

#include <map>
#include <string>

#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class BaselinesCliTest : public CliTest {
 protected:
  json classifier(const std::string& mechanism, const json& attention) const {
    json config = tinyTraining();
    config["model"]["mechanism"] = mechanism;
    config["model"]["attention"] = attention;
    config["masks"] = {{"scheme", "none"}};
    config["training"]["epochs"] = 1;
    config["telemetry"]["als_steps"] = 0;
    return config;
  }

  fs::path sequence(const std::string& mechanism) const {
    const fs::path text = write("text", std::string(400, 'a') + std::string(400, 'b'));
    return write(
        "text.json",
        json{{"name", "tiny"},
             {"device", "cpu"},
             {"threads", 1},
             {"data", {{"kind", "text"}, {"path", text.string()}}},
             {"model", {{"mechanism", mechanism}, {"width", 16}, {"depth", 2}, {"length", 24}}},
             {"training",
              {{"steps", 3},
               {"batch_size", 2},
               {"warmup_steps", 1},
               {"evaluate_steps", 3},
               {"evaluate_samples", 1}}}});
  }
};

TEST_F(BaselinesCliTest, AreAmongTheMechanisms) {
  const auto outcome = run({"summary", "--mechanisms"});
  expectOk(outcome);
  for (const char* name : {"linear_transformer", "performer", "synthesizer", "lambda"})
    EXPECT_NE(outcome.out.find(name), std::string::npos) << name;
  EXPECT_NE(outcome.out.find("performer  (heads cannot be masked)  (for comparison)\n"),
            std::string::npos);
  EXPECT_NE(outcome.out.find("aft_conv  (heads cannot be masked)\n"), std::string::npos);
}

TEST_F(BaselinesCliTest, SayThatTheyAreThereForComparison) {
  const auto outcome = run({"summary", "--mechanisms", "--json"});
  expectOk(outcome);
  std::map<std::string, bool> said;
  for (const auto& mechanism : outcome.json())
    said[mechanism.at("name").get<std::string>()] = mechanism.value("comparison", false);
  // Of the five papers, and the backbones' own.
  for (const char* name :
       {"softmax", "learned_mask", "lsla", "aft_full", "aft_local", "aft_simple", "aft_conv",
        "linear_angular", "window", "talking_heads", "gated_positional"})
    EXPECT_FALSE(said.at(name)) << name;
  for (const char* name : {"linear_transformer", "performer", "synthesizer", "lambda", "agent"})
    EXPECT_TRUE(said.at(name)) << name;
}

TEST_F(BaselinesCliTest, TrainAndAreMeasured) {
  for (const auto& [mechanism, attention] :
       {std::pair<std::string, json>{"performer", {{"features", 7}, {"redraws", 2}}},
        {"lambda", {{"context", 3}, {"keys", 4}}}}) {
    SCOPED_TRACE(mechanism);
    expectOk(
        run({"train", write("config.json", classifier(mechanism, attention)), "--run", "run"}));
    const auto outcome = run({"evaluate", "--weights", "run/last.safetensors", "--json"});
    expectOk(outcome);
    EXPECT_EQ(outcome.json()["images"], 18);
    fs::remove_all(path("run"));
  }
}

TEST_F(BaselinesCliTest, ASynthesizersHeadsAreMasked) {
  const fs::path config =
      write("config.json", classifier("synthesizer", {{"synthesis", "factorized"}}));
  expectOk(run({"train", config, "--run", "run", "--masks.scheme", "sch1"}));
}

TEST_F(BaselinesCliTest, OptionsThatCannotBeAreRefusedByPath) {
  const auto refused = [&](const std::string& mechanism, const json& attention,
                           const std::vector<std::string>& words) {
    expectError(
        run({"train", write("config.json", classifier(mechanism, attention)), "--run", "r"}), 2,
        words);
  };
  refused("lambda", {{"context", 4}}, {"model.attention.context", "odd"});
  refused("lambda", {{"norm", "layer"}}, {"model.attention.norm", "queries_values"});
  refused("performer", {{"features", -1}}, {"model.attention.features"});
  refused("synthesizer", {{"synthesis", "sparse"}}, {"model.attention.synthesis", "dense"});
  refused("linear_transformer", {{"features", 3}}, {"model.attention.features"});
  EXPECT_FALSE(fs::exists(path("r")));
}

TEST_F(BaselinesCliTest, SequencesByFeaturesAreTrainedAndContinued) {
  for (const std::string mechanism : {"linear_transformer", "performer"}) {
    SCOPED_TRACE(mechanism);
    expectOk(run({"sequence", "train", sequence(mechanism), "--run", mechanism}));
    expectOk(run({"sequence", "continue", mechanism, "--prompt", "aa", "--bytes", "8", "--json"}));
  }
  expectError(run({"sequence", "train", sequence("performer"), "--run", "r", "--model.heads", "3"}),
              2, {"model.heads", "16"});
}

TEST_F(BaselinesCliTest, ASequenceOfSynthesizersIsCountedAndLookedAt) {
  expectOk(run({"sequence", "train", sequence("synthesizer"), "--run", "run"}));
  const auto seen =
      run({"sequence", "attend", "run", "--text", "aab", "--output", "maps.safetensors", "--json"});
  expectOk(seen);
  EXPECT_EQ(seen.json()["heads"], 4);
  EXPECT_NE(seen.json()["map"].get<std::string>().find("Synthesizer"), std::string::npos);
  const auto counted = run({"sequence", "summary", "run", "--json"});
  expectOk(counted);
  std::int64_t numbers = 0;
  for (const auto& [name, tensor] : readTensors(path("run/best.safetensors")))
    numbers += static_cast<std::int64_t>(tensor.floats().size());
  EXPECT_EQ(counted.json()["parameters"], numbers);
}

}  // namespace
}  // namespace headlight::testing
