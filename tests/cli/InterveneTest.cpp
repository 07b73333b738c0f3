// SPDX-License-Identifier: GPL-3.0-or-later

// intervene: sweeps, parts, logit attribution and composition from the command line; what is
// refused.

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class InterveneCliTest : public ImagesCliTest {
 protected:
  Outcome intervene(Arguments more) const {
    Arguments arguments{"intervene", m_files[0].string(), "--device", "cpu", "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return runWithModel(arguments);
  }
};

TEST_F(InterveneCliTest, SweepsAndDraws) {
  const Outcome outcome = intervene({"--other", m_files[1].string(), "--site", "residual",
                                     "--output", "map.png", "--csv", "map.csv", "--json"});
  expectOk(outcome);
  const json sweep = outcome.json()["sweep"];
  EXPECT_EQ(sweep["replace"], "image");
  EXPECT_EQ(sweep["across"], "tokens");
  EXPECT_EQ(sweep["facts"]["runs"], "other");
  ASSERT_FALSE(sweep["values"].empty());
  EXPECT_GT(sweep["values"][0].size(), 1u);
  EXPECT_EQ(readBytes(path("map.png")).substr(1, 3), "PNG");
  EXPECT_TRUE(readBytes(path("map.csv")).starts_with("layer,token,value,effect\n"));
}

TEST_F(InterveneCliTest, ReplacesParts) {
  const json effect =
      intervene({"--part", "heads:0.0", "--part", "mlp:1@0", "--json"}).json()["effect"];
  EXPECT_EQ(effect["parts"], (json{"heads:0.0", "mlp:1@0"}));
  EXPECT_NE(effect["before"]["logits"], effect["after"]["logits"]);
  const Outcome text = intervene({"--replace", "mean", "--data", m_images.string(), "--samples",
                                  "2", "--part", "mlp:0", "--metric", "probability"});
  expectOk(text);
  for (const char* words : {"replaced: mlp:0", "probability of ", "before", "after"})
    EXPECT_NE(text.out.find(words), std::string::npos) << words << "\n" << text.out;
}

TEST_F(InterveneCliTest, AttributesAndComposes) {
  const json attribution = intervene({"--attribution", "--json"}).json()["attribution"];
  double sum = attribution["constant"].get<double>() + attribution["embedding"].get<double>();
  for (std::size_t l = 0; l < attribution["mlp"].size(); ++l)
    sum += attribution["mlp"][l].get<double>() + attribution["attention"][l].get<double>() +
           attribution["rest"][l].get<double>();
  EXPECT_NEAR(sum, attribution["logit"].get<double>(), 1e-3);
  const json composition =
      runWithModel({"intervene", "--composition", "k", "-o", "k.png", "--json"}).json();
  EXPECT_TRUE(composition["composition"]["key"].is_array());
  EXPECT_EQ(readBytes(path("k.png")).substr(1, 3), "PNG");
  EXPECT_NE(runWithModel({"intervene", "--composition", "q"}).out.find("Q-composition"),
            std::string::npos);
}

TEST_F(InterveneCliTest, FindsOutliers) {
  const Outcome outcome = intervene({"--outliers", "-o", "norms.png", "--csv", "o.csv", "--json"});
  expectOk(outcome);
  const json layer = outcome.json()["outliers"]["layers"][0];
  EXPECT_EQ(layer["norms"].size(),
            1u + layer["rows"].get<std::size_t>() * layer["cols"].get<std::size_t>());
  EXPECT_EQ(layer["sink"].size(), layer["output_rank"].size());
  EXPECT_EQ(readBytes(path("norms.png")).substr(1, 3), "PNG");
  EXPECT_TRUE(readBytes(path("o.csv")).starts_with("layer,head,sink,"));
  expectError(intervene({"--outliers", "--outlier-factor", "1"}), 2, {"greater than 1"});
}

TEST_F(InterveneCliTest, AddsRegisters) {
  const Outcome outcome =
      intervene({"--registers", "2", "--neurons", "3", "--outlier-factor", "1.01", "-o",
                 "norms.png", "--map", "maps.png", "--csv", "r.csv", "--json"});
  expectOk(outcome);
  const json registers = outcome.json()["registers"];
  EXPECT_EQ(registers["neurons"].size(), 3u);
  EXPECT_EQ(registers["images"], 1);
  EXPECT_EQ(registers["register_norms"][0].size(), 2u);
  EXPECT_NE(registers["before"]["logits"], registers["after"]["logits"]);
  for (const char* name : {"norms.png", "maps.png"})
    EXPECT_EQ(readBytes(path(name)).substr(1, 3), "PNG");
  EXPECT_TRUE(readBytes(path("r.csv")).starts_with("layer,outliers_before,"));
  const Outcome text = intervene({"--registers", "1", "--neurons", "0"});
  expectOk(text);
  for (const char* words : {"intervention: test-time registers 1", "before", "after", "registers"})
    EXPECT_NE(text.out.find(words), std::string::npos) << words << "\n" << text.out;
}

/// Their neurons are found over a dataset where one is given.
TEST_F(InterveneCliTest, FindsRegisterNeuronsOverData) {
  const Outcome outcome =
      intervene({"--registers", "1", "--neurons", "2", "--outlier-factor", "1.01", "--data",
                 m_images.string(), "--samples", "2", "--json"});
  expectOk(outcome);
  EXPECT_EQ(outcome.json()["registers"]["images"], 2);
}

TEST_F(InterveneCliTest, RefusesRegistersThatDoNotFit) {
  expectError(intervene({"--registers", "1", "--outliers"}), 2, {"--registers"});
  expectError(intervene({"--neurons", "3"}), 2, {"--registers"});
  expectError(intervene({"--map", "m.png"}), 2, {"--registers"});
  expectError(intervene({"--registers", "99"}), 2, {"registers"});
  expectError(intervene({"--registers", "1", "--outlier-factor", "1e6"}), 2, {"nothing to move"});
}

/// Another image is patched in unless a replacement says otherwise, which then is no silent other.
TEST_F(InterveneCliTest, AnotherImageAndItsReplacementMustAgree) {
  for (const char* replace : {"zero", "mean"})
    expectError(intervene({"--other", m_files[1].string(), "--replace", replace}), 2,
                {"--other", "--replace", replace});
  const json sweep = intervene({"--other", m_files[1].string(), "--replace", "image", "--across",
                                "layers", "--json"})
                         .json()["sweep"];
  EXPECT_EQ(sweep["replace"], "image");
}

TEST_F(InterveneCliTest, RefusesWhatDoesNotFit) {
  expectError(runWithModel({"intervene"}), 2, {"image"});
  expectError(intervene({"--part", "heads"}), 2, {"SITE:LAYER"});
  expectError(intervene({"--part", "heads:99"}), 2, {"layer"});
  expectError(intervene({"--site", "mlp", "--across", "heads"}), 2, {"heads", "tokens"});
  expectError(intervene({"--replace", "image"}), 2, {"--other"});
  expectError(intervene({"--attribution", "--composition", "q"}), 2, {"--part"});
  expectError(intervene({"--part", "mlp:0", "-o", "x.png"}), 2, {"--output"});
}

}  // namespace
}  // namespace headlight::testing
