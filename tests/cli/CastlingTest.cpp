// SPDX-License-Identifier: GPL-3.0-or-later

// Castling by command: accuracy with the auxiliary branch and without, what is left of the branch,
// and a saved model that goes without it.

#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class CastlingCliTest : public CliTest {
 protected:
  /// The tiny training with linear-angular attention and these options of it, for two epochs.
  json castlingTraining(const json& attention) const {
    json config = tinyTraining();
    config["model"]["mechanism"] = "linear_angular";
    config["model"]["attention"] = attention;
    config["masks"] = {{"scheme", "none"}};
    config["training"]["epochs"] = 2;
    config["telemetry"]["als_steps"] = 0;
    return config;
  }
  /// Trains it and returns its weights.
  std::string trained(const json& config) const {
    expectOk(run({"train", write("config.json", config), "--run", "run"}));
    return "run/last.safetensors";
  }
  json dropBranch(const std::string& weights) const {
    const auto outcome = run({"evaluate", "--weights", weights, "--drop-branch", "--json"});
    expectOk(outcome);
    return outcome.json();
  }
};

/// All that an evaluation measured but its speed; how, stands beside the whole.
json measured(json evaluation) {
  evaluation.erase("images_per_second");
  evaluation.erase("precision");
  evaluation.erase("class_match");
  return evaluation;
}

TEST_F(CastlingCliTest, ABranchWithNonzerosIsNotFreeToDrop) {
  // Of the mean weight of 17 tokens: some are above it, some are not.
  const auto weights = trained(castlingTraining({{"epsilon", 1.0 / 17}}));
  const auto report = dropBranch(weights);
  EXPECT_EQ(report["with"]["images"], 18);
  EXPECT_EQ(report["castled"]["images"], 18);
  EXPECT_NE(report["with"]["loss"], report["castled"]["loss"]);
  ASSERT_EQ(report["nonzeros"].size(), 2u);
  for (int layer = 0; layer < 2; ++layer) {
    const double fraction = report["nonzeros"][layer];
    EXPECT_GT(fraction, 0.0);
    EXPECT_LT(fraction, 1.0);
    // 2 heads, 16 patches and the class token.
    EXPECT_NEAR(report["nonzeros_per_image"][layer].get<double>(), fraction * 2 * 17 * 17, 1e-6);
  }
  EXPECT_FALSE(report["free"].get<bool>());
  EXPECT_TRUE(report["verdict"].get<std::string>().starts_with("not free: "));
  // The model was saved with its branch: that is what evaluate measures.
  const auto plain = run({"evaluate", "--weights", weights, "--json"});
  EXPECT_EQ(measured(plain.json()), measured(report["with"]));

  const auto text = run({"evaluate", "--weights", weights, "--drop-branch"});
  expectOk(text);
  for (const char* words :
       {"with the auxiliary branch  18 images", "without the branch  ",
        "layer 0: ", "layer 1: ", "nonzeros", "dropping the branch is not free: ", "2 of 2 layers"})
    EXPECT_NE(text.out.find(words), std::string::npos) << words << " in " << text.out;
}

TEST_F(CastlingCliTest, WithoutEpsilonEveryEntryIsCounted) {
  const auto report = dropBranch(trained(castlingTraining({{"epsilon", 0.0}})));
  for (int layer = 0; layer < 2; ++layer) {
    EXPECT_EQ(report["nonzeros"][layer], 1.0);
    EXPECT_EQ(report["nonzeros_per_image"][layer], 2 * 17 * 17);
  }
}

TEST_F(CastlingCliTest, ABranchThatIsEmptyIsFreeToDrop) {
  const auto weights = trained(castlingTraining({{"epsilon", 1.0}}));  // no weight is above 1
  const auto report = dropBranch(weights);
  EXPECT_EQ(report["nonzeros"], (std::vector<double>{0, 0}));
  EXPECT_TRUE(report["free"].get<bool>());
  EXPECT_TRUE(report["verdict"].get<std::string>().starts_with("free: "));
  EXPECT_EQ(measured(report["with"]), measured(report["castled"]));
  const auto text = run({"evaluate", "--weights", weights, "--drop-branch"});
  EXPECT_NE(text.out.find("dropping the branch is free: "), std::string::npos) << text.out;
}

TEST_F(CastlingCliTest, ConvertDropsTheBranch) {
  const auto weights = trained(castlingTraining({{"epsilon", 0.05}}));
  expectOk(run({"convert", weights, "castled.safetensors", "--drop-branch", "--weights-only"}));
  const auto report = dropBranch("castled.safetensors");
  EXPECT_EQ(report, [&] {  // both are measured, however the model was saved
    auto before = dropBranch(weights);
    for (const char* which : {"with", "castled"})
      before[which]["images_per_second"] = report[which]["images_per_second"];
    return before;
  }());
  const auto plain = run({"evaluate", "--weights", "castled.safetensors", "--json"});
  EXPECT_EQ(measured(plain.json()), measured(report["castled"]));

  auto before = readMetadata(path(weights)), after = readMetadata(path("castled.safetensors"));
  auto experiment = json::parse(before.at("experiment"));
  experiment["model"]["attention"]["without_branch"] = true;
  EXPECT_EQ(json::parse(after.at("experiment")), experiment);
  EXPECT_EQ(after.at("class_names"), before.at("class_names"));
  EXPECT_EQ(after.at("masks"), before.at("masks"));
  const auto kept = readTensors(path(weights));
  for (const auto& [name, tensor] : readTensors(path("castled.safetensors")))
    EXPECT_EQ(tensor, kept.at(name)) << name;
}

TEST_F(CastlingCliTest, ConvertChecksForNonzeros) {
  const auto full = trained(castlingTraining({{"epsilon", 0.05}}));
  // Of the data that the checkpoint names: nothing is written while entries are left.
  const Arguments convert{"convert", full, "out.safetensors", "--drop-branch", "--samples", "9"};
  expectError(run(convert), 2, {"dropping the branch is not free: ", "9 images", "--anyway"});
  EXPECT_FALSE(fs::exists(path("out.safetensors")));
  auto anyway = convert;
  anyway.push_back("--anyway");
  const auto said = run(anyway);
  EXPECT_EQ(said.exitCode, 0) << said.err;
  EXPECT_NE(said.err.find("saved anyway"), std::string::npos) << said.err;
  EXPECT_NE(said.out.find("dropping the branch is not free: "), std::string::npos) << said.out;
  EXPECT_TRUE(fs::exists(path("out.safetensors")));
  anyway.push_back("--json");
  const auto found = run(anyway).json()["castling"];
  const auto evaluated =
      run({"evaluate", "--weights", full, "--drop-branch", "--samples", "9", "--json"});
  expectOk(evaluated);
  EXPECT_EQ(found["nonzeros"], evaluated.json()["nonzeros"]);
  EXPECT_EQ(found["verdict"], evaluated.json()["verdict"]);
  // Without images, a note says that the branch was not checked.
  const auto blind = run({"convert", full, "blind.safetensors", "--drop-branch"});
  EXPECT_EQ(blind.exitCode, 0) << blind.err;
  EXPECT_NE(blind.err.find("was not checked"), std::string::npos) << blind.err;
  expectError(run({"convert", full, "a.safetensors", "--drop-branch", "--anyway"}), 2,
              {"--samples"});
  expectError(run({"convert", full, "a.safetensors", "--samples", "9"}), 2, {"--drop-branch"});
}

TEST_F(CastlingCliTest, ConvertsAnEmptyBranchAfterTheCheck) {
  const auto empty = trained(castlingTraining({{"epsilon", 1.0}}));
  const auto outcome =
      run({"convert", empty, "out.safetensors", "--drop-branch", "--samples", "0", "--json"});
  expectOk(outcome);
  EXPECT_TRUE(outcome.json()["castling"]["free"].get<bool>());
  EXPECT_EQ(outcome.json()["castling"]["with"]["images"], 18);
}

TEST_F(CastlingCliTest, WritesTheReportAsCsv) {
  const auto weights = trained(castlingTraining({{"epsilon", 1.0 / 17}}));
  const auto outcome = run({"evaluate", "--weights", weights, "--drop-branch", "--drop-branch-csv",
                            "castle.csv", "--json"});
  expectOk(outcome);
  const std::string csv = readBytes(path("castle.csv"));
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "what,with,castled");
  const auto at = csv.find("\nnonzeros of layer 1,");
  ASSERT_NE(at, std::string::npos) << csv;
  EXPECT_EQ(std::stod(csv.substr(at + 21)), outcome.json()["nonzeros"][1].get<double>());
  expectError(run({"evaluate", "--weights", weights, "--drop-branch-csv", "castle.csv"}), 2,
              {"--drop-branch-csv"});
}

TEST_F(CastlingCliTest, OldFlagNamesDoTheSame) {
  const auto weights = trained(castlingTraining({{"epsilon", 1.0 / 17}}));
  const auto evaluate = [&](const std::string& flag, const std::string& csv) {
    const auto outcome =
        run({"evaluate", "--weights", weights, flag, flag + "-csv", csv, "--json"});
    expectOk(outcome);
    return std::pair(outcome.json()["nonzeros"], readBytes(path(csv)));
  };
  EXPECT_EQ(evaluate("--castle", "old.csv"), evaluate("--drop-branch", "new.csv"));
  for (const std::string flag : {"--castle", "--drop-branch"})
    expectOk(run({"convert", weights, flag.substr(2) + ".safetensors", flag, "--weights-only"}));
  EXPECT_EQ(readBytes(path("castle.safetensors")), readBytes(path("drop-branch.safetensors")));
  for (const std::string command : {"evaluate", "convert"}) {
    const std::string help = run({command, "--help"}).out;
    EXPECT_NE(help.find("--drop-branch"), std::string::npos) << help;
    EXPECT_EQ(help.find("--castle"), std::string::npos) << help;
  }
}

TEST_F(CastlingCliTest, AModelWithoutABranchIsRefused) {
  const std::vector<std::string> words{"model.mechanism", "no auxiliary branch"};
  const fs::path softmax = kGolden / "vit_micro.safetensors";
  expectError(run({"evaluate", "--weights", softmax, "--drop-branch"}), 2, words);
  expectError(
      run({"convert", softmax, "out.safetensors", "--drop-branch", "--model", microConfig()}), 2,
      words);
  expectError(run({"convert", softmax, "out.safetensors", "--drop-branch"}), 2,
              {"vit_micro.safetensors", "contains no Experiment"});
  const auto config = write("config.json", castlingTraining({{"auxiliary", false}}));
  expectError(run({"evaluate", "--model", config, "--drop-branch"}), 2, words);
  EXPECT_FALSE(fs::exists(path("out.safetensors")));
}

}  // namespace
}  // namespace headlight::testing
