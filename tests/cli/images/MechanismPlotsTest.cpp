// SPDX-License-Identifier: GPL-3.0-or-later

// attend --show of the images that a mechanism alone has.

#include <cmath>

#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

class MechanismPlotCliTest : public ImagesCliTest {};

TEST_F(MechanismPlotCliTest, OfTheWeightsAloneNoImageIsNeeded) {
  const auto outcome = run({"attend", "--model", "aft_conv_micro", "--show", "kernel-weight", "-p",
                            "drawn", "-o", "out.safetensors", "--device", "cpu", "--json"});
  expectOk(outcome);
  const auto results = outcome.json()["results"];
  ASSERT_EQ(results.size(), 1u);
  EXPECT_TRUE(results[0]["image"].is_null());
  EXPECT_EQ(results[0]["files"][0], "drawn/kernel-weight.png");
  EXPECT_TRUE(fs::exists(path("drawn/kernel-weight.png")));
  const Tensors out = readTensors(path("out.safetensors"));
  ASSERT_EQ(out.size(), 3u);  // of three layers, and nothing else
  EXPECT_EQ(out.at("kernel-weight.0").shape, (std::vector<std::int64_t>{3, 5, 5}));
  EXPECT_EQ(results[0]["own"]["panels"].size(), 9u);
  EXPECT_NE(outcome.json()["map"].get<std::string>().find("e^w − 1"), std::string::npos);
}

TEST_F(MechanismPlotCliTest, KeysAreOfEachImage) {
  const auto outcome =
      run({"attend", m_files[0], m_files[1], "--model", "aft_full_micro", "--show", "keys", "-o",
           "out.safetensors", "--layer", "1", "-p", "drawn", "--device", "cpu"});
  expectOk(outcome);
  const Tensors out = readTensors(path("out.safetensors"));
  EXPECT_EQ(out.at("keys.1").shape, (std::vector<std::int64_t>{2, 3, 8, 8}));
  EXPECT_EQ(out.at("logits").shape.front(), 2);
  EXPECT_FALSE(out.contains("keys.0"));
  EXPECT_TRUE(fs::exists(path("drawn") / (m_files[1].stem().string() + "-keys-layer1.png")));
}

TEST_F(MechanismPlotCliTest, LinesComeAsPlotTableAndDrawing) {
  const Arguments lsla{"attend",     "--model", "vit_lsla", "--image-size", "56",  "--show",
                       "bias-lines", "-p",      "drawn",    "--device",     "cpu", "--layer",
                       "1",          "--head",  "2",        "--format",     "svg"};
  const auto outcome = run(lsla);  // one head: a plot
  expectOk(outcome);
  for (const char* end : {".svg", ".csv"})
    EXPECT_TRUE(fs::exists(path(std::string("drawn/bias-lines-layer1-head2") + end))) << end;
  EXPECT_NE(readBytes(path("drawn/bias-lines-layer1-head2.csv")).find("1,2,\"B_o\",0,"),
            std::string::npos);
  EXPECT_NE(readBytes(path("drawn/bias-lines-layer1-head2.svg")).find("the query is"),
            std::string::npos);
}

/// IBiT's Algorithm 2 as printed: rows over their Euclidean norm.
TEST_F(MechanismPlotCliTest, ProductsSayThatThereIsNoSoftmax) {
  auto config = nlohmann::json::parse(readBytes(microConfig()));
  config["model"]["mechanism"] = "learned_mask";
  config["model"]["attention"] = {{"placement", "products"}, {"initialization", "random"}};
  const auto file = write("products.json", config);
  const auto seen = run({"attend", m_files[0], "--model", file, "-o", "maps.safetensors",
                         "--device", "cpu", "--json"});
  expectOk(seen);
  EXPECT_NE(seen.json()["map"].get<std::string>().find("without a softmax"), std::string::npos);
  const Tensor map = readTensors(path("maps.safetensors")).at("attention.0");
  const auto tokens = static_cast<std::size_t>(map.shape.back());
  const std::vector<float> values = map.floats();
  ASSERT_EQ(values.size() % tokens, 0u);
  for (std::size_t row = 0; row < values.size(); row += tokens) {
    double squares = 0;
    for (std::size_t i = row; i < row + tokens; ++i)
      squares += double{values[i]} * values[i];
    EXPECT_NEAR(squares, 1, 1e-4);
  }
  const auto masks = run({"attend", "--model", file, "--show", "mask", "-o", "mask.safetensors",
                          "--device", "cpu", "--json"});
  expectOk(masks);
  EXPECT_NE(masks.json()["map"].get<std::string>().find("divided by its norm"), std::string::npos);
}

TEST_F(MechanismPlotCliTest, WhatThereIsNotIsListedAndWhatNeedsAnImageSaysSo) {
  const Arguments conv{"attend", "--model", "aft_conv_micro", "--device", "cpu", "--show"};
  const auto with = [&](Arguments more) {
    more.insert(more.begin(), conv.begin(), conv.end());
    return run(more);
  };
  expectError(with({"mask"}), 2, {"--show", "attention, kernel, kernel-weight, keys"});
  expectError(with({"keys"}), 2, {"keys", "give images"});
  expectError(with({"attention"}), 2, {"needs either images"});
  expectError(with({"kernel", "--class", "3"}), 2, {"--class"});
  expectError(with({"kernel", "--format", "gif"}), 2, {"--format", "svg"});
  expectError(run({"attend", "--model", microConfig(), "--show", "keys"}), 2,
              {"attention", "relevance"});
}

}  // namespace
}  // namespace headlight::testing
