#include "core/config/ConfigText.h"

#include <gtest/gtest.h>

namespace headlight {
namespace {

void expectTwice(const std::string& text, const std::string& path) {
  const auto json = parseConfigJson(text, "x.json");
  ASSERT_FALSE(json.ok()) << text;
  EXPECT_EQ(json.error().code, ErrorCode::InvalidConfig);
  EXPECT_NE(json.error().text().find("x.json: has the key " + path + " twice"), std::string::npos)
      << json.error().text();
}

TEST(ConfigText, AKeyThatStandsTwiceIsNamed) {
  expectTwice(R"({"seed": 1, "seed": 2})", "seed");
  expectTwice(R"({"model": {"width": 8, "depth": 1, "width": 8}})", "model.width");
  expectTwice(R"({"a": 1, "list": [0, {"b": {}}, {"c": 1, "c": 2}]})", "list[2].c");
  expectTwice(R"([[], [{"d": [], "e": 0, "d": 0}]])", "[1][0].d");
}

TEST(ConfigText, TheSameKeyInDifferentObjectsIsFine) {
  const auto json =
      parseConfigJson(R"({"a": {"a": [1, {"a": 2}, {"a": 3}]}, "b": {"a": null}})", "x.json");
  ASSERT_TRUE(json.ok()) << json.error().text();
  EXPECT_EQ((*json)["a"]["a"][2]["a"], 3);
}

TEST(ConfigText, WhatIsNoJsonTooDeepOrTooLargeIsRefused) {
  EXPECT_FALSE(parseConfigJson("{\"a\":", "x.json").ok());
  EXPECT_FALSE(parseConfigJson(std::string(70, '[') + std::string(70, ']'), "x.json").ok());
  EXPECT_TRUE(parseConfigJson(std::string(60, '[') + std::string(60, ']'), "x.json").ok());
  EXPECT_FALSE(parseConfigJson("[1, 2]", "x.json", 5).ok());
}

}  // namespace
}  // namespace headlight
