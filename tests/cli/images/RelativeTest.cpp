// SPDX-License-Identifier: GPL-3.0-or-later

// relative: mean attention by offset over images, from the command line; faithfulness as a table.

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/workbench/attribution/Explanations.h"
#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

using RelativeCliTest = ImagesCliTest;

/// Means over pairs of patches of the maps that attend writes, [B, H, T, T], so far apart.
double meanAt(const Tensor& maps, std::int64_t head, int prefix, int rows, int cols, int dr,
              int dc) {
  const auto values = maps.floats();
  const std::int64_t heads = maps.shape[1], tokens = maps.shape[2];
  double sum = 0;
  int count = 0;
  for (std::int64_t b = 0; b < maps.shape[0]; ++b)
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < cols; ++c) {
        if (r + dr < 0 || c + dc < 0 || r + dr >= rows || c + dc >= cols) continue;
        const std::int64_t query = prefix + r * cols + c, key = query + dr * cols + dc;
        sum +=
            values[static_cast<std::size_t>(((b * heads + head) * tokens + query) * tokens + key)];
        ++count;
      }
  return sum / count;
}

TEST_F(RelativeCliTest, IsTheMeanOfTheMapsThatAttendWrites) {
  expectOk(runWithModel({"attend", m_files[0], m_files[1], "-o", "maps.safetensors"}));
  const Tensors maps = readTensors(path("maps.safetensors"));
  const auto outcome = runWithModel({"relative", "--image", m_files[0], m_files[1], "--figure",
                                     "r.svg", "-o", "r.safetensors", "--json"});
  expectOk(outcome);
  const json result = outcome.json();
  EXPECT_EQ(result["pictures"], 2);
  const json layer = result["relative"]["layers"][1];
  const int rows = layer["rows"], cols = layer["cols"];
  const Tensor written = readTensors(path("r.safetensors")).at("relative.1");
  const auto heads = static_cast<std::int64_t>(layer["values"].size());
  EXPECT_EQ(written.shape, (std::vector<std::int64_t>{heads, 2 * rows - 1, 2 * cols - 1}));
  const Tensor& all = maps.at("attention.1");
  const int prefix = static_cast<int>(all.shape[2]) - rows * cols;
  for (const auto& [dr, dc] : {std::pair{0, 0}, {1, -1}, {1 - rows, cols - 1}, {0, 2}}) {
    const double expected = meanAt(all, 1, prefix, rows, cols, dr, dc);
    const double got = layer["values"][1][dr + rows - 1][dc + cols - 1];
    EXPECT_NEAR(got, expected, 1e-6);
    const std::size_t place =
        static_cast<std::size_t>(((2 * rows - 1) + dr + rows - 1) * (2 * cols - 1) + dc + cols - 1);
    EXPECT_NEAR(written.floats()[place], got, 1e-7);
  }
  EXPECT_NE(readBytes(path("r.svg")).find("2 images"), std::string::npos);
  // The maps alone give the same.
  const auto alone = run({"relative", "--image", "maps.safetensors", "--json"});
  expectOk(alone);
  EXPECT_NEAR(alone.json()["relative"]["layers"][1]["values"][1][rows - 1][cols - 1].get<double>(),
              layer["values"][1][rows - 1][cols - 1].get<double>(), 1e-6);
}

TEST_F(RelativeCliTest, WhatCannotBeIsRefused) {
  expectError(runWithModel({"relative", "--image", m_files[0], "--data", m_images}), 2,
              {"--image", "--data"});
  expectError(runWithModel({"relative", "--image", m_files[0], "--figure", "r.txt"}), 2, {"r.txt"});
  expectError(runWithModel({"relative", "--image", m_files[0], "--gradient-biasing"}), 2,
              {"learned_mask"});
  expectError(run({"relative", "--image", m_files[0]}), 2, {"--model"});
  expectError(runWithModel({"relative", "--image", "none.png"}), 3, {"none.png"});
  write("broken.png", std::string("no image"));
  const auto some = runWithModel({"relative", "--image", m_files[0], "broken.png"});
  expectOk(some);
  EXPECT_NE(some.err.find("broken.png"), std::string::npos);
  EXPECT_NE(some.out.find("1 image (1 could not be read)"), std::string::npos) << some.out;
}

/// With labels of the data, and of the class that is predicted.
TEST_F(RelativeCliTest, GradientBiasingWritesThreeFigures) {
  json config = tinyTraining();
  config["model"]["mechanism"] = "learned_mask";
  const fs::path file = write("ibit.json", config);
  const auto outcome = run({"relative", "--model", file, "--gradient-biasing", "--samples", "3",
                            "--figure", "g.png", "-o", "g.safetensors"});
  expectOk(outcome);
  for (const char* name : {"g-masked.png", "g-unmasked.png", "g-ratio.png"})
    EXPECT_TRUE(fs::exists(path(name))) << name;
  EXPECT_NE(outcome.out.find("mean loss"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("without labels"), std::string::npos);
  // No gradient reaches the last layer's patches: no ratio there.
  EXPECT_NE(outcome.out.find("      1         -         -"), std::string::npos) << outcome.out;
  const Tensors tensors = readTensors(path("g.safetensors"));
  const auto masked = tensors.at("masked.0").floats(), unmasked = tensors.at("unmasked.0").floats(),
             ratio = tensors.at("ratio.0").floats();
  for (std::size_t i = 0; i < masked.size(); ++i)
    if (unmasked[i] > 1e-12f) {
      EXPECT_NEAR(ratio[i], masked[i] / unmasked[i], 1e-4 * ratio[i]);
    }
}

/// Every heatmap of an image, rollout, attention and random order.
std::size_t studiedMethods() {
  return 3 + std::count_if(explanationMethods().begin(), explanationMethods().end(),
                           std::mem_fn(&ExplanationInfo::isImageHeatmap));
}

TEST_F(RelativeCliTest, FaithfulnessOfAFolderIsATable) {
  const auto outcome = runWithModel(
      {"attend", m_files[0], m_files[1], "--show", "faithfulness", "-p", "faith", "--json"});
  expectOk(outcome);
  const json result = outcome.json();
  const json table = result["faithfulness"];
  ASSERT_EQ(table.size(), studiedMethods());
  for (std::size_t m = 0; m < table.size(); ++m) {
    const auto area = [&](int image, const char* curve) {
      return result["results"][static_cast<std::size_t>(image)]["faithfulness"]["methods"][m][curve]
                   ["area"]
                       .get<double>();
    };
    EXPECT_EQ(table[m]["pictures"], 2);
    const double a = area(0, "deletion"), b = area(1, "deletion");
    EXPECT_NEAR(table[m]["deletion"]["mean"].get<double>(), (a + b) / 2, 1e-9);
    EXPECT_NEAR(table[m]["deletion"]["deviation"].get<double>(), std::abs(a - b) / std::sqrt(2),
                1e-9);
  }
  const std::string csv = readBytes(path("faith/faithfulness.csv"));
  EXPECT_EQ(csv.substr(0, 16), "method,pictures,");
}

TEST_F(RelativeCliTest, FaithfulnessOverADataSet) {
  const auto outcome = runWithModel(
      {"faithfulness", "--image", m_files[0], m_files[1], "--steps", "4", "--csv", "table.csv"});
  expectOk(outcome);
  EXPECT_NE(outcome.out.find("2 images"), std::string::npos) << outcome.out;
  const std::string csv = readBytes(path("table.csv"));
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')),
            studiedMethods() + 1);
  const auto data = runWithModel(
      {"faithfulness", "--data", m_images, "--samples", "3", "--steps", "4", "--json"});
  expectOk(data);
  EXPECT_EQ(data.json()["pictures"], 3);
  EXPECT_EQ(data.json()["faithfulness"].back()["method"], "random order");
  expectError(runWithModel({"faithfulness", "--image", m_files[0], "--class", "nothing"}), 2,
              {"nothing"});
}

}  // namespace
}  // namespace headlight::testing
