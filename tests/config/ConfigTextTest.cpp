// SPDX-License-Identifier: GPL-3.0-or-later
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

TEST(ConfigText, InvalidTooDeepOrTooLargeJsonIsRefused) {
  EXPECT_FALSE(parseConfigJson("{\"a\":", "x.json").ok());
  EXPECT_FALSE(parseConfigJson(std::string(70, '[') + std::string(70, ']'), "x.json").ok());
  EXPECT_TRUE(parseConfigJson(std::string(60, '[') + std::string(60, ']'), "x.json").ok());
  EXPECT_FALSE(parseConfigJson("[1, 2]", "x.json", 5).ok());
}

TEST(ConfigText, LongObjectsAreReadInTimeAndHaveALimit) {
  std::string text = "{";
  for (int i = 0; i < 60'000; ++i)
    text += "\"key " + std::to_string(i) + "\": " + std::to_string(i) + ", ";
  const auto json = parseConfigJson(text + "\"last\": [1]}", "x.json", kMaxConfigText, 60'001);
  ASSERT_TRUE(json.ok()) << json.error().text();
  EXPECT_EQ(json->size(), 60'001u);
  EXPECT_EQ(json->begin().key(), "key 0");
  EXPECT_EQ((*json)["last"][0], 1);
  const auto twice = parseConfigJson(text + "\"key 7\": 0}", "x.json", kMaxConfigText, 60'001);
  ASSERT_FALSE(twice.ok());
  EXPECT_NE(twice.error().message.find("key 7 twice"), std::string::npos);
  EXPECT_FALSE(parseConfigJson(text + "\"last\": 1}", "x.json").ok()) << "10,000 keys at most";
}

/// The values are those of the library's own parser.
TEST(ConfigText, ValuesAreTheLibrarysOwn) {
  for (const char* text :
       {R"({"b": [1, -2, 3.5e-7, true, null, "ü\u00e9\n"], "a": {"z": {}, "y": []}})", "[]", "{}",
        "7", "\"text\"", "null", "[[[1], {\"a\": [{\"b\": 18446744073709551615}]}], 0.1]"}) {
    EXPECT_EQ(jsonOrDiscarded(text).dump(), Json::parse(text).dump()) << text;
    EXPECT_EQ(parseConfigJson(text, "x.json")->dump(), Json::parse(text).dump()) << text;
  }
}

TEST(ConfigText, InvalidJsonIsDiscarded) {
  for (const char* text :
       {"", "{", "{\"a\":}", "nonsense", "[1] 2", "{\"a\": 1, \"a\": 2}", "1e999", "\"\xff\""})
    EXPECT_TRUE(jsonOrDiscarded(text).is_discarded()) << text;
  EXPECT_TRUE(jsonOrDiscarded("[1, 2]", {.bytes = 5}).is_discarded());
  EXPECT_TRUE(jsonOrDiscarded("[1, 2]", {.values = 2}).is_discarded());
  EXPECT_TRUE(jsonOrDiscarded(R"({"a": 1, "b": 2})", {.keys = 1}).is_discarded());
}

/// A value of such a depth is destroyed, copied or written by a call for each level.
TEST(ConfigText, NestingOfAnyDepthIsRefusedBeforeAnythingIsBuilt) {
  for (const int depth : {65, 60'000, 5'000'000}) {
    EXPECT_TRUE(jsonOrDiscarded(std::string(depth, '[')).is_discarded()) << depth;
    const std::string lists = std::string(depth, '[') + std::string(depth, ']');
    EXPECT_TRUE(jsonOrDiscarded(lists).is_discarded()) << depth;
    const auto refused = parseConfigJson(lists, "x.json");
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("64 levels"), std::string::npos);
  }
  std::string objects;
  for (int i = 0; i < 60'000; ++i)
    objects += "{\"a\":";
  EXPECT_TRUE(jsonOrDiscarded(objects + "1" + std::string(60'000, '}')).is_discarded());
  EXPECT_FALSE(jsonOrDiscarded(std::string(kMaxJsonDepth, '[') + std::string(kMaxJsonDepth, ']'))
                   .is_discarded());
}

}  // namespace
}  // namespace headlight
