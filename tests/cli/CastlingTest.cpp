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
  json castle(const std::string& weights) const {
    const auto outcome = run({"evaluate", "--weights", weights, "--castle", "--json"});
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
  const auto report = castle(weights);
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

  const auto text = run({"evaluate", "--weights", weights, "--castle"});
  expectOk(text);
  for (const char* words : {"with the auxiliary branch  18 images", "castled   ", "layer 0: ",
                            "layer 1: ", "nonzeros", "castling is not free: ", "2 of 2 layers"})
    EXPECT_NE(text.out.find(words), std::string::npos) << words << " in " << text.out;
}

TEST_F(CastlingCliTest, WithoutEpsilonEveryEntryIsCounted) {
  const auto report = castle(trained(castlingTraining({{"epsilon", 0.0}})));
  for (int layer = 0; layer < 2; ++layer) {
    EXPECT_EQ(report["nonzeros"][layer], 1.0);
    EXPECT_EQ(report["nonzeros_per_image"][layer], 2 * 17 * 17);
  }
}

TEST_F(CastlingCliTest, ABranchThatIsEmptyIsFreeToDrop) {
  const auto weights = trained(castlingTraining({{"epsilon", 1.0}}));  // no weight is above 1
  const auto report = castle(weights);
  EXPECT_EQ(report["nonzeros"], (std::vector<double>{0, 0}));
  EXPECT_TRUE(report["free"].get<bool>());
  EXPECT_TRUE(report["verdict"].get<std::string>().starts_with("free: "));
  EXPECT_EQ(measured(report["with"]), measured(report["castled"]));
  const auto text = run({"evaluate", "--weights", weights, "--castle"});
  EXPECT_NE(text.out.find("castling is free: "), std::string::npos) << text.out;
}

TEST_F(CastlingCliTest, ASavedModelCanBeCastled) {
  const auto weights = trained(castlingTraining({{"epsilon", 0.05}}));
  expectOk(run({"convert", weights, "castled.safetensors", "--castle", "--weights-only"}));
  const auto report = castle("castled.safetensors");
  EXPECT_EQ(report, [&] {  // whichever way it was saved, both are measured
    auto before = castle(weights);
    for (const char* which : {"with", "castled"})
      before[which]["images_per_second"] = report[which]["images_per_second"];
    return before;
  }());
  const auto plain = run({"evaluate", "--weights", "castled.safetensors", "--json"});
  EXPECT_EQ(measured(plain.json()), measured(report["castled"]));

  auto before = readMetadata(path(weights)), after = readMetadata(path("castled.safetensors"));
  auto experiment = json::parse(before.at("experiment"));
  experiment["model"]["attention"]["castled"] = true;
  EXPECT_EQ(json::parse(after.at("experiment")), experiment);
  EXPECT_EQ(after.at("class_names"), before.at("class_names"));
  EXPECT_EQ(after.at("masks"), before.at("masks"));
  const auto kept = readTensors(path(weights));
  for (const auto& [name, tensor] : readTensors(path("castled.safetensors")))
    EXPECT_EQ(tensor, kept.at(name)) << name;
}

TEST_F(CastlingCliTest, ConvertLooksForWhatIsLeft) {
  const auto full = trained(castlingTraining({{"epsilon", 0.05}}));
  // Of the data that the checkpoint names: nothing is written while entries are left.
  const Arguments convert{"convert", full, "out.safetensors", "--castle", "--samples", "9"};
  expectError(run(convert), 2, {"castling is not free: ", "9 images", "--anyway"});
  EXPECT_FALSE(fs::exists(path("out.safetensors")));
  auto anyway = convert;
  anyway.push_back("--anyway");
  const auto said = run(anyway);
  EXPECT_EQ(said.exitCode, 0) << said.err;
  EXPECT_NE(said.err.find("saved all the same"), std::string::npos) << said.err;
  EXPECT_NE(said.out.find("castling is not free: "), std::string::npos) << said.out;
  EXPECT_TRUE(fs::exists(path("out.safetensors")));
  anyway.push_back("--json");
  const auto found = run(anyway).json()["castling"];
  const auto evaluated =
      run({"evaluate", "--weights", full, "--castle", "--samples", "9", "--json"});
  expectOk(evaluated);
  EXPECT_EQ(found["nonzeros"], evaluated.json()["nonzeros"]);
  EXPECT_EQ(found["verdict"], evaluated.json()["verdict"]);
  // Without pictures it is said that nobody looked.
  const auto blind = run({"convert", full, "blind.safetensors", "--castle"});
  EXPECT_EQ(blind.exitCode, 0) << blind.err;
  EXPECT_NE(blind.err.find("nobody looked"), std::string::npos) << blind.err;
  expectError(run({"convert", full, "a.safetensors", "--castle", "--anyway"}), 2, {"--samples"});
  expectError(run({"convert", full, "a.safetensors", "--samples", "9"}), 2, {"--castle"});
}

TEST_F(CastlingCliTest, AnEmptyBranchIsConvertedAfterALook) {
  const auto empty = trained(castlingTraining({{"epsilon", 1.0}}));
  const auto outcome =
      run({"convert", empty, "out.safetensors", "--castle", "--samples", "0", "--json"});
  expectOk(outcome);
  EXPECT_TRUE(outcome.json()["castling"]["free"].get<bool>());
  EXPECT_EQ(outcome.json()["castling"]["with"]["images"], 18);
}

TEST_F(CastlingCliTest, ItsTableLeavesAsCsv) {
  const auto weights = trained(castlingTraining({{"epsilon", 1.0 / 17}}));
  const auto outcome =
      run({"evaluate", "--weights", weights, "--castle", "--castle-csv", "castle.csv", "--json"});
  expectOk(outcome);
  const std::string csv = readBytes(path("castle.csv"));
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "what,with,castled");
  const auto at = csv.find("\nnonzeros of layer 1,");
  ASSERT_NE(at, std::string::npos) << csv;
  EXPECT_EQ(std::stod(csv.substr(at + 21)), outcome.json()["nonzeros"][1].get<double>());
  expectError(run({"evaluate", "--weights", weights, "--castle-csv", "castle.csv"}), 2,
              {"--castle-csv"});
}

TEST_F(CastlingCliTest, AModelWithoutABranchCannotBeCastled) {
  const std::vector<std::string> words{"model.mechanism", "no auxiliary branch"};
  const fs::path softmax = kGolden / "vit_micro.safetensors";
  expectError(run({"evaluate", "--weights", softmax, "--castle"}), 2, words);
  expectError(run({"convert", softmax, "out.safetensors", "--castle", "--model", microConfig()}), 2,
              words);
  expectError(run({"convert", softmax, "out.safetensors", "--castle"}), 2,
              {"vit_micro.safetensors", "carries no Experiment"});
  const auto config = write("config.json", castlingTraining({{"auxiliary", false}}));
  expectError(run({"evaluate", "--model", config, "--castle"}), 2, words);
  EXPECT_FALSE(fs::exists(path("out.safetensors")));
}

}  // namespace
}  // namespace headlight::testing
