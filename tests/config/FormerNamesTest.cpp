// SPDX-License-Identifier: GPL-3.0-or-later

// Names of before: read from files and flags, written by their names of now.

#include <gtest/gtest.h>

#include "core/config/Experiment.h"
#include "core/config/SequenceExperiment.h"
#include "core/imaging/ColorMap.h"
#include "core/models/Registry.h"

namespace headlight {
namespace {

/// The options of the mechanism after reading `options`, or the error's path and text.
std::string optionsRead(const std::string& mechanism, const std::string& options) {
  const auto read = experimentFromText(
      R"({"model": {"mechanism": ")" + mechanism + R"(", "attention": )" + options + "}}", "a.json",
      modelCatalog());
  return read ? read->model.attention.dump() : read.error().text();
}

TEST(FormerNames, OptionsOfMechanismsAreReadByBothNames) {
  EXPECT_EQ(optionsRead("aft_full", R"({"factorised": false})"), R"({"factorized":false})");
  EXPECT_EQ(optionsRead("aft_full", R"({"factorized": false})"), R"({"factorized":false})");
  EXPECT_EQ(optionsRead("learned_mask", R"({"initialisation": "random"})"),
            R"({"initialization":"random"})");
  EXPECT_EQ(optionsRead("aft_conv", R"({"reparametrise": false})"), R"({"reparametrize":false})");
  EXPECT_EQ(optionsRead("linear_angular", R"({"castled": true})"), R"({"without_branch":true})");
}

TEST(FormerNames, BothNamesAtOnceAreRefused) {
  const std::string text = optionsRead("aft_full", R"({"factorised": false, "factorized": true})");
  EXPECT_NE(text.find("model.attention.factorised"), std::string::npos) << text;
  EXPECT_NE(text.find("leave one out"), std::string::npos) << text;
}

TEST(FormerNames, TheirValuesAreChecked) {
  const std::string text = optionsRead("aft_full", R"({"factorised": 3})");
  EXPECT_NE(text.find("model.attention.factorised"), std::string::npos) << text;
}

TEST(FormerNames, AnOverrideByAFormerNameReplacesTheValue) {
  Json json =
      Json::parse(R"({"model": {"mechanism": "aft_full", "attention": {"factorized": true}}})");
  ASSERT_TRUE(overrideParameter(json, "model.attention.factorised", "no", modelCatalog()));
  EXPECT_EQ(json["model"]["attention"].dump(), R"({"factorized":false})");

  json["model"]["attention"] = Json::parse(R"({"factorised": false})");
  ASSERT_TRUE(overrideParameter(json, "model.attention.factorized", "yes", modelCatalog()));
  EXPECT_EQ(json["model"]["attention"].dump(), R"({"factorized":true})");
}

TEST(FormerNames, SequenceModels) {
  const auto read = sequenceFromJson(
      Json::parse(R"({"data": {"kind": "pictures"}, "model": {"factorised": false}})"));
  ASSERT_TRUE(read) << read.error().text();
  const Json written = sequenceToJson(*read);
  EXPECT_EQ(written["data"]["kind"], "images");
  EXPECT_EQ(written["model"]["factorized"], false);
  EXPECT_FALSE(written["model"].contains("factorised"));

  Json json = Json::parse(R"({"model": {"factorised": false}})");
  ASSERT_TRUE(overrideSequenceParameter(json, "model.factorised", "yes"));
  EXPECT_EQ(json["model"].dump(), R"({"factorized":true})");
  ASSERT_TRUE(overrideSequenceParameter(json, "data.kind", "pictures"));
  EXPECT_EQ(json["data"]["kind"], "images");
}

TEST(FormerNames, TheGrayColorMap) {
  const auto map = colorMapFromName("grey");
  ASSERT_TRUE(map);
  EXPECT_EQ(*map, ColorMap::Gray);
  EXPECT_EQ(colorMapName(ColorMap::Gray), "gray");
}

}  // namespace
}  // namespace headlight
