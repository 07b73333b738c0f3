// SPDX-License-Identifier: GPL-3.0-or-later

// train of a masked autoencoder, and reconstruct.

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class ReconstructCliTest : public CliTest {
 protected:
  /// The ready config, made small; its weights.
  fs::path trainedAutoencoder() const {
    const auto outcome =
        run({"train", fs::path(HEADLIGHT_SOURCE_DIR) / "models/presets/mae.json", "--run", "mae",
             "--data.train_samples", "16", "--data.validation_samples", "4", "--training.epochs",
             "1", "--training.warmup_epochs", "0.5", "--training.batch_size", "8", "--threads", "1",
             "--json"});
    expectOk(outcome);
    EXPECT_NE(outcome.out.find("\"best_reconstruction\""), std::string::npos) << outcome.out;
    return path("mae/best.safetensors");
  }
};

TEST_F(ReconstructCliTest, WritesImagesAndSaysTheLoss) {
  const fs::path weights = trainedAutoencoder(),
                 image = fs::path(HEADLIGHT_SOURCE_DIR) / "resources/samples/dotted-disc.png";
  const auto with = [&](Arguments more) {
    Arguments all{"reconstruct", image, "--weights", weights, "--images", "out", "--json"};
    all.insert(all.end(), more.begin(), more.end());
    const auto outcome = run(all);
    expectOk(outcome);
    return outcome.json()["results"][0];
  };
  const json first = with({}), again = with({"--seed", "0"}), other = with({"--seed", "4"}),
             half = with({"--mask-ratio", "0.5"});
  EXPECT_EQ(first["patches"], 144);
  EXPECT_EQ(first["dropped"], 108);
  EXPECT_EQ(half["dropped"], 72);
  EXPECT_GT(first["loss"].get<double>(), 0);
  EXPECT_EQ(first["loss"], again["loss"]);
  EXPECT_NE(first["loss"], other["loss"]);
  EXPECT_EQ(readBytes(path("out/dotted-disc-reconstructed.png")).substr(1, 3), "PNG");
  EXPECT_TRUE(first["attention"].is_null());
  const json looked = with({"--layer", "1", "--head", "0"})["attention"];
  EXPECT_EQ(looked["query"], "class token");
  ASSERT_EQ(looked["values"].size(), 144u);
  double sum = 0;
  int dropped = 0;
  for (const json& value : looked["values"])
    value.is_null() ? void(++dropped) : void(sum += value.get<double>());
  EXPECT_EQ(dropped, 108);
  EXPECT_GT(sum, 0);
  EXPECT_LE(sum, 1 + 1e-5);
  const auto evaluated = run({"evaluate", "--weights", weights, "--json"});
  expectOk(evaluated);
  const double loss = evaluated.json()["loss"];
  EXPECT_NEAR(evaluated.json()["reconstruction"].get<double>(), 1 / (1 + loss), 1e-9);
}

TEST_F(ReconstructCliTest, SaysWhyThereIsNoMap) {
  const fs::path image = fs::path(HEADLIGHT_SOURCE_DIR) / "resources/samples/dotted-disc.png";
  const auto with = [&](Arguments more) {
    Arguments all{"reconstruct", image,
                  "--model",     fs::path(HEADLIGHT_SOURCE_DIR) / "models/presets/mae.json",
                  "--images",    "out"};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  };
  expectError(with({"--head", "0"}), 2, {"--layer"});
  expectError(with({"--layer", "99"}), 2, {"layer", "must be from 0 to"});
  expectError(with({"--layer", "0", "--head", "99"}), 2, {"head", "must be from 0 to"});
  // One patch of 144 is kept: not both of these.
  auto outcome = with({"--layer", "0", "--mask-ratio", "0.99", "--query", "0,0"});
  if (outcome.exitCode == 0)
    outcome = with({"--layer", "0", "--mask-ratio", "0.99", "--query", "0,1"});
  expectError(outcome, 2, {"is dropped", "kept patch"});
}

TEST_F(ReconstructCliTest, AModelWithoutADecoderIsRefused) {
  const auto images = smallImages();
  expectError(run({"reconstruct", images, "--model", microConfig(), "--weights",
                   kGolden / "vit_micro.safetensors"}),
              2, {"decoder", "mae_vit_base"});
}

}  // namespace
}  // namespace headlight::testing
