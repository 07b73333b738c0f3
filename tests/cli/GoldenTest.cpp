// SPDX-License-Identifier: GPL-3.0-or-later

// The program against results of an independent implementation (timm), as files.

#include <cmath>

#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

constexpr double kLogitsTolerance = 1e-4;
constexpr double kAttentionTolerance = 1e-5;

class GoldenCliTest : public CliTest {
 protected:
  Tensors runOn(const std::string& command, const fs::path& config, const std::string& weights,
                const std::string& io) const {
    const auto outcome =
        run({command, "--model", config, "--weights", kGolden / weights, "--tensor", kGolden / io,
             "--output", "out.safetensors", "--device", "cpu"});
    expectOk(outcome);
    return readTensors(path("out.safetensors"));
  }
};

/// Rollout of a class token by the definition, in double precision: mean over heads, identity
/// added, rows normalized, multiplied from the first layer to the last.
std::vector<double> expectedRollout(const Tensors& io, int layers, std::int64_t image) {
  const auto& shape = io.at("attention.0").shape;
  const std::int64_t heads = shape[1], tokens = shape[2];
  std::vector<double> row(tokens, 0.0);
  row[0] = 1.0;  // the class row of the product, taken from the last layer down
  for (int l = layers - 1; l >= 0; --l) {
    const auto values = io.at("attention." + std::to_string(l)).floats();
    std::vector<double> next(tokens, 0.0);
    for (std::int64_t i = 0; i < tokens; ++i) {
      std::vector<double> fused(tokens, 0.0);
      double sum = 0;
      for (std::int64_t j = 0; j < tokens; ++j) {
        for (std::int64_t h = 0; h < heads; ++h)
          fused[j] += values[((image * heads + h) * tokens + i) * tokens + j] / double(heads);
        if (i == j) fused[j] += 1.0;
        sum += fused[j];
      }
      for (std::int64_t j = 0; j < tokens; ++j)
        next[j] += row[i] * fused[j] / sum;
    }
    row = next;
  }
  return {row.begin() + 1, row.end()};
}

TEST_F(GoldenCliTest, PredictGivesTheLogitsOfVitMicro) {
  const auto out =
      runOn("predict", microConfig(), "vit_micro.safetensors", "vit_micro.io.safetensors");
  const auto io = readTensors(kGolden / "vit_micro.io.safetensors");
  EXPECT_EQ(out.size(), 1u);
  EXPECT_LE(greatestDifference(out.at("logits"), io.at("logits")), kLogitsTolerance);
}

TEST_F(GoldenCliTest, AttendGivesTheMapsAndTheRolloutOfVitMicro) {
  const auto out =
      runOn("attend", microConfig(), "vit_micro.safetensors", "vit_micro.io.safetensors");
  const auto io = readTensors(kGolden / "vit_micro.io.safetensors");
  EXPECT_LE(greatestDifference(out.at("logits"), io.at("logits")), kLogitsTolerance);
  for (const std::string name : {"attention.0", "attention.1", "attention.2"})
    EXPECT_LE(greatestDifference(out.at(name), io.at(name)), kAttentionTolerance) << name;
  ASSERT_EQ(out.at("rollout").shape, (std::vector<std::int64_t>{2, 64}));
  const auto rollout = out.at("rollout").floats();
  for (int image = 0; image < 2; ++image) {
    const auto expected = expectedRollout(io, 3, image);
    // A common factor is free: a rollout is an image of shares.
    double scale = 0, sum = 0;
    for (int i = 0; i < 64; ++i)
      scale += rollout[image * 64 + i], sum += expected[i];
    ASSERT_GT(scale, 0);
    for (int i = 0; i < 64; ++i)
      EXPECT_NEAR(rollout[image * 64 + i] / scale, expected[i] / sum, 1e-5);
  }
}

TEST_F(GoldenCliTest, PredictGivesTheLogitsOfTheDistilledDeit) {
  const auto out = runOn("predict", microConfig(true), "deit_distilled_micro.safetensors",
                         "deit_distilled_micro.io.safetensors");
  const auto io = readTensors(kGolden / "deit_distilled_micro.io.safetensors");
  EXPECT_LE(greatestDifference(out.at("logits"), io.at("logits")), kLogitsTolerance);
}

TEST_F(GoldenCliTest, PredictGivesTheLogitsOfModelsByName) {
  for (const std::string name : {"cait_micro", "mvitv2_micro"}) {
    const auto out = runOn("predict", name, name + ".safetensors", name + ".io.safetensors");
    const auto io = readTensors(kGolden / (name + ".io.safetensors"));
    EXPECT_LE(greatestDifference(out.at("logits"), io.at("logits")), kLogitsTolerance) << name;
  }
}

TEST_F(GoldenCliTest, SchemesFitAModelWhoseLastLayersCannotBeMasked) {
  for (const std::string scheme : {"sch2", "sch3"})
    expectOk(
        run({"predict", "--model", "cait_micro", "--weights", kGolden / "cait_micro.safetensors",
             "--tensor", kGolden / "cait_micro.io.safetensors", "--masks", scheme, "--output",
             "out.safetensors", "--device", "cpu"}));
}

TEST_F(GoldenCliTest, BothPickledFilesLoadEqual) {
  const std::string io = "vit_micro.io.safetensors";
  const auto fromSafetensors = runOn("predict", microConfig(), "vit_micro.safetensors", io);
  for (const std::string file : {"vit_micro_state_dict.pth", "vit_micro_training_checkpoint.pth"})
    EXPECT_EQ(runOn("predict", microConfig(), file, io), fromSafetensors) << file;
}

TEST_F(GoldenCliTest, InspectTellsWhichDictionaryOfATrainingCheckpointWasTaken) {
  const auto outcome = run({"inspect", kGolden / "vit_micro_training_checkpoint.pth", "--against",
                            microConfig(), "--json"});
  expectOk(outcome);
  const auto json = outcome.json();
  EXPECT_EQ(json["format"], "pth");
  EXPECT_FALSE(json["dictionary"].is_null());
  const auto expected = readTensors(kGolden / "vit_micro.safetensors");
  ASSERT_EQ(json["tensors"].size(), expected.size());
  for (const auto& tensor : json["tensors"]) {
    const auto& golden = expected.at(tensor["name"].get<std::string>());
    EXPECT_EQ(tensor["shape"].get<std::vector<std::int64_t>>(), golden.shape);
    EXPECT_EQ(tensor["dtype"], "F32");
  }
  EXPECT_TRUE(json["against"]["complete"].get<bool>());
  EXPECT_EQ(json["against"]["matched"].size(), expected.size());
}

TEST_F(GoldenCliTest, InspectSaysWhatDoesNotFit) {
  const auto outcome =
      run({"inspect", kGolden / "vit_micro.safetensors", "--against", microConfig(true), "--json"});
  expectOk(outcome);
  const auto report = outcome.json()["against"];
  EXPECT_FALSE(report["complete"].get<bool>());
  const auto missing = report["missing"].get<std::vector<std::string>>();
  EXPECT_NE(std::find(missing.begin(), missing.end(), "dist_token"), missing.end());
  const auto text =
      run({"inspect", kGolden / "vit_micro.safetensors", "--against", microConfig(true)});
  EXPECT_NE(text.out.find("missing     dist_token"), std::string::npos) << text.out;
}

TEST_F(GoldenCliTest, StrictMasksClearTheMapsOutsideTheirWindow) {
  const auto masks =
      write("masks.json",
            nlohmann::json{{"scheme", "mine"}, {"cells", {{"strict:3", "none", "hard:3"}}}});
  const auto outcome =
      run({"attend", "--model", microConfig(), "--weights", kGolden / "vit_micro.safetensors",
           "--tensor", kGolden / "vit_micro.io.safetensors", "--output", "out.safetensors",
           "--masks", masks});
  expectOk(outcome);
  const auto map = readTensors(path("out.safetensors")).at("attention.0").floats();
  const auto golden = readTensors(kGolden / "vit_micro.io.safetensors").at("attention.0").floats();
  const auto at = [&](int head, int query, int key) { return (head * 65 + query) * 65 + key; };
  double hardOutside = 0;
  for (int query = 0; query < 64; ++query)
    for (int key = 0; key < 64; ++key) {
      const bool far = std::max(std::abs(query / 8 - key / 8), std::abs(query % 8 - key % 8)) > 1;
      EXPECT_NEAR(map[at(1, query + 1, key + 1)], golden[at(1, query + 1, key + 1)], 1e-5);
      if (!far) continue;
      EXPECT_EQ(map[at(0, query + 1, key + 1)], 0.0f) << query << " " << key;
      hardOutside += map[at(2, query + 1, key + 1)];
    }
  // A hard mask leaves e^0 = 1 in the sum for each token outside: never zero.
  EXPECT_GT(hardOutside, 1.0);
}

TEST_F(GoldenCliTest, ConvertKeepsWeightsAndEmbedsTheModel) {
  expectOk(run({"convert", kGolden / "vit_micro_training_checkpoint.pth", "micro.safetensors",
                "--model", microConfig()}));
  EXPECT_EQ(readTensors(path("micro.safetensors")), readTensors(kGolden / "vit_micro.safetensors"));
  const auto metadata = readMetadata(path("micro.safetensors"));
  EXPECT_EQ(nlohmann::json::parse(metadata.at("experiment"))["model"]["width"], 48);
  // It opens alone now.
  expectOk(run({"predict", "--weights", "micro.safetensors", "--tensor",
                kGolden / "vit_micro.io.safetensors", "--output", "out.safetensors"}));
  EXPECT_LE(greatestDifference(readTensors(path("out.safetensors")).at("logits"),
                               readTensors(kGolden / "vit_micro.io.safetensors").at("logits")),
            kLogitsTolerance);
}

TEST_F(GoldenCliTest, ConvertToHalfRoundsEveryValue) {
  expectOk(
      run({"convert", kGolden / "vit_micro.safetensors", "half.safetensors", "--dtype", "bf16"}));
  expectOk(run({"convert", "half.safetensors", "back.safetensors", "--dtype", "f32"}));
  EXPECT_EQ(readMetadata(path("back.safetensors")),
            readMetadata(kGolden / "vit_micro.safetensors"));
  const auto original = readTensors(kGolden / "vit_micro.safetensors");
  for (const auto& [name, tensor] : readTensors(path("half.safetensors")))
    EXPECT_EQ(tensor.dtype, "BF16") << name;
  for (const auto& [name, tensor] : readTensors(path("back.safetensors"))) {
    const auto before = original.at(name).floats(), after = tensor.floats();
    ASSERT_EQ(before.size(), after.size());
    for (std::size_t i = 0; i < before.size(); ++i)  // 8 bits of mantissa
      ASSERT_NEAR(after[i], before[i], std::abs(before[i]) / 256 + 1e-38) << name;
  }
}

TEST_F(GoldenCliTest, ConvertRefusesAModelThatTheWeightsDoNotFit) {
  expectError(run({"convert", kGolden / "vit_micro.safetensors", "wrong.safetensors", "--model",
                   "deit_tiny_patch16_224"}),
              2, {"do not fit", "deit_tiny_patch16_224"});
  EXPECT_FALSE(fs::exists(path("wrong.safetensors")));
}

}  // namespace
}  // namespace headlight::testing
