// SPDX-License-Identifier: GPL-3.0-or-later

// heads: numbers of heads, those that meet a bound, and the scheme that masks them. evaluate
// --beside: what masks do on a dataset.

#include <algorithm>
#include <cmath>

#include "core/config/Experiment.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using HeadsCliTest = ImagesCliTest;

TEST_F(HeadsCliTest, OfAnImageLocalityIsThatOfAttend) {
  const auto heads = runWithModel({"heads", "--image", m_files[0], "--json"});
  expectOk(heads);
  const auto measures = heads.json()["results"][0]["measures"];
  ASSERT_EQ(measures.size(), 3u);
  EXPECT_EQ(measures[0]["name"], "als");
  EXPECT_EQ(measures[1]["name"], "entropy");
  EXPECT_EQ(measures[2]["unit"], "px");
  const auto attend = runWithModel({"attend", m_files[0], "-o", "a.safetensors", "--json"});
  expectOk(attend);
  const auto locality = attend.json()["results"][0]["locality"];
  ASSERT_EQ(locality.size(), measures[0]["values"].size());
  for (std::size_t l = 0; l < locality.size(); ++l)
    for (std::size_t h = 0; h < locality[l].size(); ++h)
      EXPECT_NEAR(measures[0]["values"][l][h].get<double>(), locality[l][h].get<double>(), 1e-6);
  EXPECT_EQ(measures[1]["chance"][0], 1.0);
}

/// Several images go into one figure; its numbers are the means of theirs.
TEST_F(HeadsCliTest, AFigureIsOverAllImages) {
  ASSERT_GE(m_files.size(), 2u);
  const auto both = runWithModel({"heads", "--image", m_files[0], m_files[1], "--measure",
                                  "distance", "--figure", "both.csv", "--json"});
  expectOk(both);
  const auto mean = both.json()["results"][0]["measures"][0];
  EXPECT_EQ(mean["pictures"], 2);
  double sum = 0;
  for (int i = 0; i < 2; ++i) {
    const auto one =
        runWithModel({"heads", "--image", m_files[i], "--measure", "distance", "--json"});
    expectOk(one);
    sum += one.json()["results"][0]["measures"][0]["values"][0][1].get<double>();
  }
  EXPECT_NEAR(mean["values"][0][1].get<double>(), sum / 2, 1e-5);
  EXPECT_NE(readBytes(path("both.csv")).find("layer,head,value,deviation,chance"),
            std::string::npos);
  const auto refused = runWithModel({"heads", "--image", m_files[0], m_files[1], "--measure",
                                     "importance", "--figure", "no.pdf"});
  EXPECT_EQ(refused.exitCode, 2);
  EXPECT_NE(refused.err.find("needs class labels"), std::string::npos) << refused.err;
}

TEST_F(HeadsCliTest, OverADataSetItSaysHowManyImages) {
  const auto outcome = runWithModel({"heads", "--data", m_images, "--samples", "6", "--measure",
                                     "als,importance,importance_first_order,alpha", "--match",
                                     "index", "--sort", "--json"});
  expectOk(outcome);
  const auto measures = outcome.json()["results"][0]["measures"];
  ASSERT_EQ(measures.size(), 4u);
  EXPECT_EQ(measures[0]["pictures"], 6);
  EXPECT_TRUE(measures[1]["chance"][0].is_null());
  EXPECT_TRUE(measures[3]["values"][0][0].is_null());  // no head is soft
  EXPECT_TRUE(measures[3]["sorted"].empty());
  double before = 1e9;
  for (const auto& place : measures[1]["sorted"]) {
    const double value = measures[1]["values"][place["layer"].get<int>()][place["head"].get<int>()];
    EXPECT_LE(value, before);
    before = value;
  }
  const auto text = runWithModel({"heads", "--data", m_images, "--samples", "6", "--sort"});
  expectOk(text);
  EXPECT_NE(text.out.find("als  attention locality (ALS), larger: more local; 6 images"),
            std::string::npos)
      << text.out;
}

/// The same numbers as those of intervene --outliers.
TEST_F(HeadsCliTest, SinksValuesAndRanksAreHeadMetrics) {
  const auto heads = runWithModel(
      {"heads", "--image", m_files[0], "--measure", "sink,value_norm,output_rank", "--json"});
  expectOk(heads);
  const auto measures = heads.json()["results"][0]["measures"];
  ASSERT_EQ(measures.size(), 3u);
  const auto outliers = runWithModel({"intervene", m_files[0], "--outliers", "--json"});
  expectOk(outliers);
  const auto layer = outliers.json()["outliers"]["layers"][1];
  for (const auto& [index, name] :
       {std::pair{0, "sink"}, std::pair{1, "value_norm"}, std::pair{2, "output_rank"}})
    EXPECT_NEAR(measures[index]["values"][1][0].get<double>(), layer[name][0].get<double>(), 1e-4)
        << name;
}

TEST_F(HeadsCliTest, SelectedHeadsMakeAScheme) {
  const auto all = runWithModel({"heads", "--image", m_files[0], "--measure", "als", "--json"});
  expectOk(all);
  const auto values = all.json()["results"][0]["measures"][0]["values"];
  std::vector<double> sorted;
  for (const auto& layer : values)
    for (const double value : layer)
      sorted.push_back(value);
  std::sort(sorted.begin(), sorted.end());
  const std::string bound = std::to_string((sorted[1] + sorted[2]) / 2);  // two heads are below
  const auto chosen =
      runWithModel({"heads", "--image", m_files[0], "--measure", "entropy", "--select",
                    "als<" + bound, "--set", "hard:3", "--output", "scheme.json", "--json"});
  expectOk(chosen);
  const auto selected = chosen.json()["results"][0]["selected"];
  ASSERT_EQ(selected.size(), 2u);
  int heads = static_cast<int>(values[0].size());
  const auto scheme = masksFromNameOrFile(path("scheme.json").string(),
                                          MaskShape(std::vector<int>(values.size(), heads)));
  ASSERT_TRUE(scheme) << scheme.error().text();
  EXPECT_EQ(scheme->maskedHeads(), 2);
  for (const auto& place : selected)
    EXPECT_EQ(toText(scheme->at(place["layer"], place["head"])), "hard:3");
  const auto text = runWithModel({"heads", "--image", m_files[0], "--select", "als<" + bound});
  expectOk(text);
  EXPECT_NE(text.out.find("als<" + bound + ": 2 heads\n"), std::string::npos) << text.out;
}

TEST_F(HeadsCliTest, WrongRequestsAreExplained) {
  expectError(runWithModel({"heads", "--image", m_files[0], "--measure", "size"}), 2,
              {"size", "als, entropy"});
  expectError(runWithModel({"heads", "--image", m_files[0], "--select", "als=1"}), 2,
              {"als=1", "als<0.2"});
  expectError(runWithModel({"heads", "--image", m_files[0], "--set", "hard:3"}), 2, {"--output"});
  expectError(runWithModel({"heads", "--image", m_files[0], "--data", m_images}), 2, {"--image"});
  expectError(runWithModel({"heads", "--image", m_files[0], m_files[1], "--select", "als<1"}), 2,
              {"--select"});
  expectError(run({"heads", "--image", m_files[0]}), 2, {"--model"});
}

TEST_F(HeadsCliTest, EvaluateTellsWhatMasksChange) {
  const auto config = write("train.json", tinyTraining());
  expectOk(run({"train", config, "--run", "run"}));
  const Arguments evaluate{"evaluate", "--weights", "run/last.safetensors", "--masks", "sch1"};
  const auto with = [&](Arguments more) {
    Arguments all = evaluate;
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  };
  const auto alone = with({"--json"});
  expectOk(alone);
  const auto outcome = with({"--beside", "none,sch1", "--changed", "3", "--json"});
  expectOk(outcome);
  const auto schemes = outcome.json()["schemes"], effects = outcome.json()["effects"];
  ASSERT_EQ(schemes.size(), 3u);
  ASSERT_EQ(effects.size(), 2u);
  EXPECT_NEAR(schemes[0]["loss"].get<double>(), alone.json()["loss"].get<double>(), 1e-5);
  EXPECT_EQ(schemes[1]["masked_heads"], 0);
  EXPECT_NEAR(effects[0]["loss_rise"].get<double>(),
              schemes[0]["loss"].get<double>() - schemes[1]["loss"].get<double>(), 1e-12);
  EXPECT_LE(effects[0]["worst"].size(), 3u);
  EXPECT_EQ(effects[1]["changed"], 0);  // sch1 beside itself
  EXPECT_EQ(effects[1]["loss_rise"], 0.0);
  const auto text = with({"--beside", "none"});
  expectOk(text);
  EXPECT_NE(text.out.find("from none to sch1: loss "), std::string::npos) << text.out;
  expectError(with({"--changed", "3"}), 2, {"--changed", "--beside"});
  expectError(with({"--beside", "none", "--drop-branch"}), 2, {"--beside"});
  expectError(with({"--beside", "sch9"}), 2, {"sch9"});
}

}  // namespace
}  // namespace headlight::testing
