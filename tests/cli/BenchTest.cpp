// SPDX-License-Identifier: GPL-3.0-or-later

// bench: a row for everything that it promises to measure. How fast it is, is no test.

#include <algorithm>
#include <set>

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class BenchCliTest : public CliTest {
 protected:
  /// The rows of a bench of this kind, checked for what all of them have.
  json rows(const std::string& kind, const Arguments& more) const {
    Arguments arguments{"bench", kind, "--repeats", "1", "--threads", "1", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto outcome = run(arguments);
    expectOk(outcome);
    const json rows = outcome.json();
    EXPECT_FALSE(rows.empty());
    for (const json& row : rows) {
      EXPECT_EQ(row["what"], kind);
      EXPECT_GT(row["tokens"], 0);
      EXPECT_GT(row["forward_ms"], 0);
      EXPECT_GE(row["backward_ms"], 0);
      EXPECT_GE(row["peak_bytes"], 0);
      EXPECT_FALSE(row["machine"].get<std::string>().empty());
    }
    return rows;
  }
};

TEST_F(BenchCliTest, AttentionIsMeasuredLinearBesideDense) {
  const json measured = rows("attention", {"--sides", "4,6", "--heads", "2", "--head-width", "8",
                                           "--batch", "3", "--dense-tokens", "20"});
  std::set<std::pair<std::string, int>> seen;
  for (const json& row : measured) {
    EXPECT_EQ(row["batch"], 3);
    seen.emplace(row["kernel"], row["tokens"]);
  }
  // 36 tokens are more than dense attention was allowed.
  EXPECT_EQ(seen,
            (std::set<std::pair<std::string, int>>{{"linear", 16}, {"dense", 16}, {"linear", 36}}));
  EXPECT_EQ(measured.size(), 3u);
  const auto text = run({"bench", "attention", "--sides", "4,6", "--repeats", "1"});
  expectOk(text);
  for (const char* words : {"linear: time grows as tokens^", "dense: time grows as tokens^"})
    EXPECT_NE(text.out.find(words), std::string::npos) << words << " in " << text.out;
}

TEST_F(BenchCliTest, LibTorchsOwnAttentionIsMeasuredWhereItHasOne) {
  const Arguments arguments{"bench",     "attention", "--sides", "4",        "--repeats", "1",
                            "--library", "--threads", "1",       "--device", "cpu",       "--json"};
  const auto outcome = run(arguments);
  if (outcome.exitCode == 0) {
    EXPECT_EQ(outcome.json().back()["kernel"], "library");
    EXPECT_EQ(outcome.json().size(), 3u);
  } else {
    EXPECT_EQ(outcome.exitCode, 2);
    EXPECT_EQ(outcome.errorJson()["error"]["where"], "--library");
  }
}

TEST_F(BenchCliTest, ADeviceThatIsNotThereIsRefused) {
  expectError(run({"bench", "attention", "--sides", "4", "--device", "cuda:99"}), 2, {"cuda"});
  expectError(run({"bench", "block", "--device", "tpu"}), 2, {"tpu"});
}

/// The CPU may have no such products; then that is said, and why.
TEST_F(BenchCliTest, PrecisionsTakeTurnsWhereTheDeviceHasThem) {
  const Arguments both{
      "bench",    "model", "--models",  "vit_micro", "--precision", "float32,bfloat16",
      "--device", "cpu",   "--repeats", "1",         "--json"};
  const auto outcome = run(both);
  if (outcome.exitCode == 0) {
    ASSERT_EQ(outcome.json().size(), 2u);
    EXPECT_EQ(outcome.json()[0]["precision"], "float32");
    EXPECT_EQ(outcome.json()[1]["precision"], "bfloat16");
    EXPECT_EQ(outcome.json()[1]["name"], "vit_micro, bfloat16");
  } else {
    EXPECT_EQ(outcome.exitCode, 2);
    EXPECT_EQ(outcome.errorJson()["error"]["where"], "--precision");
    EXPECT_NE(outcome.err.find("no fast bfloat16 products"), outcome.err.find("this processor"));
  }
  const json plain = rows("model", {"--models", "vit_micro", "--precision", "float32"});
  ASSERT_EQ(plain.size(), 1u);
  EXPECT_EQ(plain[0]["precision"], "float32");
  EXPECT_EQ(plain[0]["name"], "vit_micro");
}

TEST_F(BenchCliTest, APrecisionThatTheDeviceLacksIsRefused) {
  for (const std::string what : {"block", "model", "step"}) {
    const auto measured = [&](const std::string& precision) {
      return run({"bench", what, "--models", "vit_micro", "--batch", "4", "--device", "cpu",
                  "--precision", precision});
    };
    expectError(measured("float16"), 2, {"--precision", "CUDA"});
    expectError(measured("half"), 2, {"--precision", "bfloat16"});
  }
  for (const std::string what : {"attention", "edit"})
    expectError(run({"bench", what, "--precision", "bfloat16"}), 2,
                {"--precision", "block, model and step"});
}

TEST_F(BenchCliTest, AModelOfFeaturesAloneIsMeasuredForward) {
  const std::string own =
      write("features.json", json{{"model", {{"name", "vit_micro"}, {"classes", 0}}}});
  EXPECT_EQ(rows("model", {"--models", own})[0]["backward_ms"], 0);
  expectError(run({"bench", "step", "--models", own, "--batch", "4"}), 2,
              {"--models", "has no classes", "model.classes"});
}

TEST_F(BenchCliTest, ABlockIsMeasuredMaskedBesideUnmasked) {
  const json measured = rows("block", {});
  ASSERT_EQ(measured.size(), 2u);
  EXPECT_EQ(measured[0]["kernel"], "masked");
  EXPECT_EQ(measured[1]["kernel"], "unmasked");
  EXPECT_EQ(measured[0]["tokens"], 56 * 56);
}

TEST_F(BenchCliTest, ModelsAreMeasuredByName) {
  const json measured = rows("model", {"--models", "vit_micro,levit_micro", "--batch", "2"});
  ASSERT_EQ(measured.size(), 2u);
  EXPECT_EQ(measured[0]["name"], "vit_micro");
  EXPECT_EQ(measured[0]["tokens"], 65);
  EXPECT_EQ(measured[1]["name"], "levit_micro");
  for (const json& row : measured)
    EXPECT_EQ(row["batch"], 2);
  expectError(run({"bench", "model", "--models", "vit_mikro"}), 3, {"vit_mikro", "summary --list"});
}

TEST_F(BenchCliTest, ConfigsAreMeasuredUnderTheirMasks) {
  const std::string own =
      write("own.json", json{{"model", {{"name", "vit_micro"}, {"mechanism", "aft_conv"}}}});
  const std::string masked = write(
      "masked.json", json{{"model", {{"name", "vit_micro"}}}, {"masks", {{"scheme", "sch1"}}}});
  const json measured = rows("model", {"--models", own + "," + masked});
  ASSERT_EQ(measured.size(), 2u);
  EXPECT_EQ(measured[0]["kernel"], "none");
  EXPECT_EQ(measured[1]["kernel"], "sch1");
  EXPECT_EQ(rows("edit", {"--models", masked}).size(), 3u);
}

TEST_F(BenchCliTest, AnyMechanismIsMeasuredBesideTheOthers) {
  const json blocks = rows("block", {"--mechanisms", "softmax,linear_angular"});
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[0]["kernel"], "masked");
  EXPECT_EQ(blocks[2]["name"], "linear_angular, stage 0");
  EXPECT_EQ(blocks[2]["kernel"], "unmasked");
  const json models = rows("model", {"--models", "vit_micro", "--mechanisms", "softmax,aft_full"});
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models[1]["name"], "vit_micro, aft_full");
  expectError(run({"bench", "block", "--mechanisms", "softmaks"}), 2, {"softmaks"});
  expectError(run({"bench", "edit", "--mechanisms", "softmax"}), 2, {"--mechanisms"});
}

TEST_F(BenchCliTest, ThePartsOfAModelAddUp) {
  const Arguments parts{"bench",     "model", "--parts", "--models", "vit_micro", "--repeats", "1",
                        "--threads", "1",     "--batch", "1,2",      "--device",  "cpu"};
  Arguments asJson = parts;
  asJson.insert(asJson.end(), {"--json", "-o", path("parts.csv").string()});
  const auto outcome = run(asJson);
  expectOk(outcome);
  ASSERT_EQ(outcome.json().size(), 2u);
  for (const json& report : outcome.json()) {
    EXPECT_EQ(report["what"], "parts");
    EXPECT_EQ(report["name"], "vit_micro");
    double inference = 0, step = 0;
    std::set<std::string> names;
    for (const json& part : report["parts"]) {
      names.insert(part["part"]);
      EXPECT_FALSE(part["counts"].get<std::string>().empty());
      inference += part["inference_ms"].get<double>();
      step += part["step_ms"].get<double>();
      EXPECT_NEAR(part["step_ms"].get<double>(),
                  part["forward_ms"].get<double>() + part["backward_ms"].get<double>() +
                      part["update_ms"].get<double>(),
                  1e-9);
    }
    EXPECT_EQ(names,
              (std::set<std::string>{"embedding", "norms", "attention_projections", "attention",
                                     "mlp", "convolution", "head", "loss", "optimizer", "other"}));
    EXPECT_LE(inference, report["inference_ms"].get<double>() * (1 + 1e-9));
    EXPECT_GE(inference, report["inference_ms"].get<double>() / 2);
    EXPECT_LE(step, report["step_ms"].get<double>() * (1 + 1e-9));
    EXPECT_GE(step, report["step_ms"].get<double>() / 2);
  }
  EXPECT_EQ(outcome.json()[1]["batch"], 2);
  const std::string csv = readBytes(path("parts.csv"));
  EXPECT_EQ(csv.substr(0, 5), "part,");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 21);
  const auto text = run(parts);
  expectOk(text);
  for (const char* words : {"attention: scores and values", "optimizer", "of a training step"})
    EXPECT_NE(text.out.find(words), std::string::npos) << words << " in " << text.out;
  // Of each batch size: what was measured, titles, ten parts, their sum, the share of attention.
  EXPECT_EQ(std::count(text.out.begin(), text.out.end(), '\n'), 2 * 14) << text.out;
}

TEST_F(BenchCliTest, SeveralBatchSizesAreMeasuredAndWritten) {
  const json measured =
      rows("model", {"--models", "vit_micro", "--batch", "1,3", "-o", path("speed.csv").string()});
  ASSERT_EQ(measured.size(), 2u);
  EXPECT_EQ(measured[1]["batch"], 3);
  for (const json& row : measured) {
    const double forward = row["forward_ms"], both = forward + row["backward_ms"].get<double>(),
                 batch = row["batch"];
    EXPECT_NEAR(row["images_per_second"].get<double>(), 1e3 * batch / forward, 1e-6);
    EXPECT_NEAR(row["training_images_per_second"].get<double>(), 1e3 * batch / both, 1e-6);
  }
  const std::string csv = readBytes(path("speed.csv"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  EXPECT_NE(csv.find("training_images_per_second"), std::string::npos);
}

TEST_F(BenchCliTest, WhatDoesNotGoTogetherIsRefused) {
  expectError(run({"bench", "edit", "--parts"}), 2, {"--parts", "model"});
  expectError(run({"bench", "model", "--parts", "--checkpoint-blocks"}), 2, {"--parts"});
  expectError(run({"bench", "block", "--batch", "1,2"}), 2, {"--batch", "model"});
  expectError(run({"bench", "model", "-o", "speed.txt"}), 2, {"--output", ".csv"});
  expectError(run({"bench", "step", "-o", "speed.csv"}), 2, {"--output", "step"});
}

TEST_F(BenchCliTest, EditsAreMeasuredLayerByLayerOnOneImage) {
  const json measured = rows("edit", {"--models", "vit_micro"});
  ASSERT_EQ(measured.size(), 3u);
  for (std::size_t layer = 0; layer < measured.size(); ++layer) {
    EXPECT_EQ(measured[layer]["name"], "vit_micro, layer " + std::to_string(layer));
    EXPECT_EQ(measured[layer]["batch"], 1);
  }
  expectError(run({"bench", "edit", "--models", "vit_micro", "--batch", "4"}), 2,
              {"--batch", "one image"});
}

}  // namespace
}  // namespace headlight::testing
