// SPDX-License-Identifier: GPL-3.0-or-later

// A search as a user runs it: its rounds train, its decisions follow its rules, and it goes on
// wherever it was interrupted.

#include <csignal>
#include <sstream>

#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

std::vector<json> eventsOf(const Outcome& outcome, const std::string& kind) {
  std::vector<json> found;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);)
    if (const json event = json::parse(line); event["event"] == kind) found.push_back(event);
  return found;
}

class SearchCliTest : public CliTest {
 protected:
  fs::path config() const {
    auto config = tinyTraining();
    config["threads"] = 1;
    return write("config.json", config);
  }
  Outcome searched(const Arguments& more, const std::string& folder = "found") const {
    Arguments all{"search", "--output", folder, "--images", "16", "--json"};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
  Outcome refused(const Arguments& more, const std::string& folder = "refused") const {
    Arguments all{"search", "--output", folder, "--images", "16"};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
  json schemeIn(const std::string& folder) const {
    return json::parse(readBytes(path(folder) / "scheme.json"));
  }
  /// A trained model with soft masks.
  fs::path trained(const std::string& masks) const {
    expectOk(run({"train", config(), "--run", "trained", "--masks", masks}));
    return path("trained") / "last.safetensors";
  }
};

TEST_F(SearchCliTest, MaitsSearchTrainsMeasuresAndDecides) {
  // Bounds that every ALS lies above, then below: what is decided is known.
  const Outcome all =
      searched({config(), "--all_above", "0", "--calibrate_below", "0", "--final_epochs", "1"});
  expectOk(all);
  EXPECT_EQ(eventsOf(all, "round").size(), 3u);
  EXPECT_EQ(eventsOf(all, "round")[1]["masked_heads"], 4);
  EXPECT_EQ(eventsOf(all, "decision").size(), 2u + 4u);
  EXPECT_EQ(eventsOf(all, "finished")[0]["masked_heads"], 4);
  EXPECT_LT(eventsOf(all, "finished")[0]["macs"], eventsOf(all, "finished")[0]["macs_unmasked"]);
  EXPECT_TRUE(fs::exists(path("found/3-final/last.safetensors")));
  const std::string report = readBytes(path("found/report.md"));
  for (const char* words : {"1-initial", "is above 0", "4 heads masked", "16 images"})
    EXPECT_NE(report.find(words), std::string::npos) << words;
  const Outcome none = searched({config(), "--remove_below", "1", "--all_above", "1"}, "none");
  expectOk(none);
  EXPECT_EQ(eventsOf(none, "finished")[0]["masked_heads"], 0);
  // The scheme is a file for --masks.
  expectOk(run({"summary", config(), "--masks", path("found/scheme.json")}));
}

TEST_F(SearchCliTest, AnInterruptedSearchGoesOnExactly) {
  const Arguments same{config(), "--training.epochs", "6", "--training.checkpoint_steps", "2"};
  expectOk(searched(same, "whole"));
  Arguments arguments{"search", "--output", "parts", "--images", "16", "--json"};
  arguments.insert(arguments.end(), same.begin(), same.end());
  int killed = 0;
  for (const int signal : {SIGKILL, SIGINT, SIGTERM}) {
    Program searching(HEADLIGHT_CLI, arguments, options());
    if (searching.waitForLine(
            [](const std::string& line) { return line.find("\"epoch\"") != std::string::npos; }))
      searching.send(signal);
    killed += searching.finish().exitCode != 0;
  }
  EXPECT_GE(killed, 2);
  expectOk(searched(same, "parts"));
  EXPECT_EQ(schemeIn("parts"), schemeIn("whole"));
  EXPECT_EQ(readBytes(path("parts/decisions.csv")), readBytes(path("whole/decisions.csv")));
  for (const char* round : {"1-initial", "2-assigned"})
    EXPECT_EQ(readTensors(path("parts") / round / "last.safetensors"),
              readTensors(path("whole") / round / "last.safetensors"))
        << round;
  // Finished: nothing is trained or measured again.
  EXPECT_TRUE(eventsOf(searched(same, "parts"), "round").empty());
}

TEST_F(SearchCliTest, GreedyMasksUntilABudgetIsMet) {
  const auto weights = trained("none");
  const Outcome most =
      searched({"--method", "greedy", "--weights", weights, "--accuracy_loss", "100"});
  expectOk(most);
  EXPECT_EQ(eventsOf(most, "finished")[0]["masked_heads"], 4);
  const auto trials = eventsOf(most, "trial");
  ASSERT_EQ(trials.size(), 5u);
  const auto decisions = eventsOf(most, "decision");
  for (std::size_t i = 1; i < decisions.size(); ++i)
    EXPECT_LE(decisions[i - 1]["value"], decisions[i]["value"]);
  // What the trials say is what evaluate says.
  const Outcome evaluated = run({"evaluate", "--weights", weights, "--masks",
                                 path("found/scheme.json"), "--samples", "16", "--json"});
  expectOk(evaluated);
  EXPECT_NEAR(evaluated.json()["top1"], trials.back()["top1"], 1e-9);
  const Outcome little = searched({"--method", "greedy", "--weights", weights, "--accuracy_loss",
                                   "100", "--mac_saving", "0.01"},
                                  "little");
  expectOk(little);
  EXPECT_EQ(eventsOf(little, "finished")[0]["masked_heads"], 1);
}

TEST_F(SearchCliTest, RandomSchemesCostAsMuchAsTheGivenOne) {
  const auto weights = trained("sch1");
  const Outcome outcome = searched({"--method", "random", "--weights", weights, "--schemes", "3"});
  expectOk(outcome);
  const auto trials = eventsOf(outcome, "trial");
  ASSERT_EQ(trials.size(), 5u);
  EXPECT_EQ(trials[1]["masked_heads"], 0);
  for (const std::size_t i : {2, 3, 4})
    EXPECT_EQ(trials[i]["macs"], trials[0]["macs"]);
  EXPECT_TRUE(fs::exists(path("found/random-3.json")));
}

TEST_F(SearchCliTest, SoftHeadsThatBecameSmallAreMadeHard) {
  const auto weights = trained("sch3");
  const Outcome all = searched({"--method", "harden", "--weights", weights, "--alpha_below", "1"});
  expectOk(all);
  const auto trials = eventsOf(all, "trial");
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_EQ(trials[0]["name"], "soft");
  EXPECT_GT(trials[1]["masked_heads"], 0);
  EXPECT_NE(readBytes(path("found/scheme.json")).find("hard:3"), std::string::npos);
  const Outcome none =
      searched({"--method", "harden", "--weights", weights, "--alpha_below", "0"}, "none");
  expectOk(none);
  EXPECT_EQ(readBytes(path("none/scheme.json")).find("hard:3"), std::string::npos);
}

TEST_F(SearchCliTest, WhatCannotBeSearchedIsSaid) {
  const auto file = config();
  expectError(run({"search"}), 2, {"needs a CONFIG"});
  expectError(refused({file, "--set", "soft:3"}), 2, {"set", "hard:3"});
  expectError(refused({file, "--all_above", "2"}), 2, {"all_above"});
  expectError(refused({file, "--method", "greedy"}), 2, {"training.weights", "trained model"});
  expectError(refused({file, "--model.mechanism", "aft_full", "--masks.scheme", "none"}), 2,
              {"model.mechanism", "can be masked"});
  const auto weights = trained("none");
  expectError(refused({"--method", "random", "--weights", weights}), 2, {"masks no head"});
  expectError(refused({"--method", "harden", "--weights", weights}), 2, {"no soft head"});
  expectError(refused({file, "--method", "greedy", "--weights", weights, "--model.depth", "3"}), 2,
              {"another model"});
  // Nothing of a search that was refused is in the way of another one.
  EXPECT_FALSE(fs::exists(path("refused/search.json")));
  fs::create_directory(path("own"));
  write("own/search.json", std::string("{"));
  expectError(refused({file}, "own"), 3, {"search.json", "delete it"});
  expectOk(searched({file, "--training.epochs", "1"}, "again"));
  expectError(refused({file, "--training.epochs", "2"}, "again"), 2, {"other settings", "epochs"});
}

}  // namespace
}  // namespace headlight::testing
