// SPDX-License-Identifier: GPL-3.0-or-later

// Texts and numbers in the form that PyYAML reads back as what they are. What it reads is written
// down here: the tests run without it.

#include "core/config/YamlText.h"

#include <gtest/gtest.h>

namespace headlight {
namespace {

TEST(YamlText, NumbersHaveAPointSoThatYaml11ReadsThemAsNumbers) {
  const Json values = {{"a", 1e-05},  {"b", 5.0}, {"c", 0.25}, {"d", 1e+20},
                       {"e", 1.5e-7}, {"f", 3},   {"g", -2.0}};
  EXPECT_EQ(yamlText(values),
            "a: 1.0e-05\nb: 5.0\nc: 0.25\nd: 1.0e+20\ne: 1.5e-07\nf: 3\ng: -2.0\n");
}

TEST(YamlText, KeysAreSortedAndListsStandBelowThem) {
  const Json values = {{"std", {0.5, 1.0}}, {"aa", nullptr}, {"none", Json::array()}, {"on", true}};
  EXPECT_EQ(yamlText(values), "aa: null\nnone: []\non: true\nstd:\n- 0.5\n- 1.0\n");
}

TEST(YamlText, TextsAreQuotedWhateverTheyHold) {
  EXPECT_EQ(yamlQuoted("no"), "\"no\"");
  EXPECT_EQ(yamlQuoted("a: b # c"), "\"a: b # c\"");
  EXPECT_EQ(yamlQuoted("say \"C:\\x\""), R"("say \"C:\\x\"")");
  EXPECT_EQ(yamlQuoted("a\nb\t\x7f"), R"("a\u000ab\u0009\u007f")");
  EXPECT_EQ(yamlQuoted("Scheinwerfer für 🔦"), "\"Scheinwerfer für 🔦\"");
  EXPECT_EQ(yamlQuoted("\xc2\x85\xe2\x80\xa8\xef\xbb\xbf"), R"("\u0085\u2028\ufeff")");
  EXPECT_EQ(yamlQuoted("a\xff\xc3"), "\"a\xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_EQ(yamlQuoted(""), "\"\"");
}

}  // namespace
}  // namespace headlight
