// SPDX-License-Identifier: GPL-3.0-or-later

// compare: what stands side by side is what predict and attend say of each side.

#include <cmath>

#include "core/imaging/codecs/Image.h"
#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

class CompareCliTest : public ImagesCliTest {
 protected:
  /// The class token's row of a head's map over the patches, as attend writes it.
  std::vector<float> classRow(const fs::path& image, const Arguments& more, int layer, int head) {
    Arguments arguments{"attend", image, "-o", "row.safetensors", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expectOk(runWithModel(arguments));
    const Tensor maps =
        readTensors(path("row.safetensors")).at("attention." + std::to_string(layer));
    const auto tokens = static_cast<std::size_t>(maps.shape[3]);
    const auto all = maps.floats();
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(head * tokens * tokens + 1);
    return {first, first + static_cast<std::ptrdiff_t>(tokens - 1)};
  }
};

TEST_F(CompareCliTest, TheDifferenceIsThatOfAttendsMaps) {
  const auto outcome = runWithModel({"compare", m_files[0], "--masks", "sch2", "--other-masks",
                                     "none", "--layer", "2", "--head", "1", "--json"});
  expectOk(outcome);
  const auto left = classRow(m_files[0], {"--masks", "sch2"}, 2, 1);
  const auto right = classRow(m_files[0], {"--masks", "none"}, 2, 1);
  const auto difference = outcome.json()["difference"];
  ASSERT_EQ(difference["values"].size(), left.size());
  double most = 0, mean = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const double expected = double(right[i]) - left[i];
    EXPECT_NEAR(difference["values"][i].get<double>(), expected, 1e-6);
    if (std::abs(expected) > std::abs(most)) most = expected;
    mean += std::abs(expected) / static_cast<double>(left.size());
  }
  EXPECT_GT(std::abs(most), 1e-4);
  EXPECT_NEAR(difference["most"].get<double>(), most, 1e-6);
  EXPECT_NEAR(difference["mean"].get<double>(), mean, 1e-6);
  EXPECT_EQ(outcome.json()["left"]["model"]["masks"], "sch2");
  EXPECT_EQ(outcome.json()["right"]["model"]["masks"], "none");
}

TEST_F(CompareCliTest, PredictionsAreThoseOfPredict) {
  const auto outcome = runWithModel({"compare", m_files[0], "--other-image", m_files[5], "--json"});
  expectOk(outcome);
  const auto left = runWithModel({"predict", m_files[0], "--json"}).json()["results"][0]["top"];
  const auto right = runWithModel({"predict", m_files[5], "--json"}).json()["results"][0]["top"];
  const auto json = outcome.json();
  EXPECT_EQ(json["left"]["top"][0]["index"], left[0]["index"]);
  ASSERT_EQ(json["prediction"][0]["name"], right[0]["name"]);
  EXPECT_NEAR(json["prediction"][0]["right"].get<double>(), right[0]["probability"].get<double>(),
              1e-5);
  EXPECT_EQ(json["prediction"][0]["right_rank"], 1);
  const auto text = runWithModel({"compare", m_files[0], "--other-image", m_files[5]});
  expectOk(text);
  EXPECT_NE(text.out.find("right - left: maximum "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("layer 2, mean of heads, class token"), std::string::npos) << text.out;
}

TEST_F(CompareCliTest, ModelsOfOtherGridsStandSideBySideWithoutADifference) {
  const auto config = write("train.json", tinyTraining());
  expectOk(run({"train", config, "--run", "run"}));
  const auto outcome = runWithModel({"compare", m_files[0], "--other-weights",
                                     "run/last.safetensors", "--query", "7,7", "--json"});
  expectOk(outcome);
  const auto json = outcome.json();
  EXPECT_TRUE(json["difference"].is_null());
  EXPECT_TRUE(json["prediction"].is_null());
  EXPECT_EQ(json["left"]["layer"], 2);
  EXPECT_EQ(json["right"]["layer"], 1);
  EXPECT_EQ(json["left"]["query"], "patch (7, 7)");
  EXPECT_EQ(json["right"]["query"], "patch (3, 3)");
  EXPECT_EQ(json["right"]["model"]["masks"], "sch3");  // as the other model says
  const auto text =
      runWithModel({"compare", m_files[0], "--other-weights", "run/last.safetensors"});
  expectOk(text);
  EXPECT_NE(text.out.find("different grids, 8 x 8 and 4 x 4"), std::string::npos) << text.out;
}

TEST_F(CompareCliTest, OldFlagNamesDoTheSame) {
  const auto compare = [&](const std::string& image, const std::string& folder,
                           const std::string& name) {
    const auto outcome =
        runWithModel({"compare", m_files[0], image, m_files[5], folder, name, "--json"});
    expectOk(outcome);
    return std::pair(outcome.json()["difference"], readBytes(path(name) / "compare.png"));
  };
  EXPECT_EQ(compare("--other-picture", "--pictures", "old"),
            compare("--other-image", "--images", "new"));
  const std::string help = run({"compare", "--help"}).out;
  EXPECT_EQ(help.find("picture"), std::string::npos) << help;
  expectOk(runWithModel({"attend", m_files[0], "--pictures", "attended"}));
  EXPECT_FALSE(fs::is_empty(path("attended")));
}

TEST_F(CompareCliTest, DrawsBothAndTheDifference) {
  const auto outcome = runWithModel({"compare", m_files[0], "--other-image", m_files[5], "--style",
                                     "warm", "-p", "out", "--json"});
  expectOk(outcome);
  const auto image = readImage(path("out") / "compare.png");
  ASSERT_TRUE(image.ok());
  EXPECT_GT(image->width, 3 * 448);
  EXPECT_EQ(outcome.json()["file"], "out/compare.png");
}

TEST_F(CompareCliTest, OtherWaysAreThoseOfAttend) {
  for (const std::string method : {"grad-cam", "similarity"}) {
    const auto json = runWithModel({"compare", m_files[0], "--other-image", m_files[5], "--show",
                                    method, "--query", "2,3", "--json", "-p", "out"})
                          .json();
    std::vector<nlohmann::json> heatmaps;
    for (const int i : {0, 5})
      heatmaps.push_back(runWithModel({"attend", m_files[i], "--show", method, "--query", "2,3",
                                       "--json", "-p", "attended"})
                             .json()["results"][0]);
    const auto& values = json["difference"]["values"];
    ASSERT_EQ(values.size(), 64u) << method;
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(values[i].get<double>(),
                  heatmaps[1]["heat"]["values"][i].get<double>() -
                      heatmaps[0]["heat"]["values"][i].get<double>(),
                  1e-6)
          << method;
    EXPECT_EQ(json["left"]["show"], method);
    EXPECT_TRUE(readImage(path("out") / "compare.png").ok());
  }
  const auto text =
      runWithModel({"compare", m_files[0], "--other-image", m_files[5], "--show", "relevance"});
  expectOk(text);
  EXPECT_NE(text.out.find("left   class relevance for "), std::string::npos) << text.out;
}

TEST_F(CompareCliTest, WaysThatCannotBeComparedAreExplained) {
  const auto compare = [&](const std::vector<std::string>& more) {
    Arguments all{"compare", m_files[0], "--other-image", m_files[5]};
    all.insert(all.end(), more.begin(), more.end());
    return runWithModel(all);
  };
  expectError(compare({"--show", "depth"}), 2, {"no heatmap", "grad-cam", "attend"});
  expectError(compare({"--show", "grid-cam"}), 2, {"grid-cam", "grad-cam"});
  expectError(compare({"--class", "1"}), 2, {"--class", "--show"});
  expectError(compare({"--show", "relevance", "--layer", "1"}), 2, {"--layer", "all layers"});
  expectError(compare({"--show", "similarity", "--head", "1"}), 2, {"--head"});
  expectError(compare({"--show", "grad-cam", "--class", "unicorn"}), 2, {"unicorn"});
}

TEST_F(CompareCliTest, WrongRequestsAreExplained) {
  expectError(runWithModel({"compare", m_files[0]}), 2, {"nothing to compare", "--other-masks"});
  expectError(runWithModel({"compare", m_files[0], "--other-layer", "3"}), 2,
              {"--other-layer", "0 to 2"});
  expectError(runWithModel({"compare", m_files[0], "--other-head", "-2"}), 2, {"--other-head"});
  expectError(runWithModel({"compare", m_files[0], "--other-query", "8,0"}), 2, {"8 rows"});
  expectError(runWithModel({"compare", "missing.png", "--other-masks", "sch1"}), 3,
              {"missing.png"});
  expectError(runWithModel({"compare", m_files[0], "--other-masks", "sch9"}), 2, {"sch9"});
  expectError(run({"compare", m_files[0], "--other-masks", "sch1"}), 2, {"--model"});
}

}  // namespace
}  // namespace headlight::testing
