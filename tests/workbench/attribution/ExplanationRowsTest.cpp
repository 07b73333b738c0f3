// SPDX-License-Identifier: GPL-3.0-or-later

// The table of explanation methods: every row is whole, and older names lead to it.

#include "core/workbench/attribution/ExplanationRows.h"

#include <gtest/gtest.h>

#include <set>

namespace headlight {
namespace {

TEST(ExplanationRows, HaveTheOneFunctionOfTheirKind) {
  for (const ExplanationInfo& info : explanationMethods()) {
    const ExplanationRow& row = explanationRow(info.name);
    EXPECT_EQ(row.info.name, info.name);
    const bool heatmap = info.isHeatmap();
    EXPECT_EQ(row.heatmap != nullptr, heatmap && !info.ofToken) << info.name;
    EXPECT_EQ(row.tokenHeatmap != nullptr, heatmap && info.ofToken) << info.name;
    EXPECT_EQ(row.colors != nullptr, info.kind == ExplanationKind::Colors) << info.name;
    EXPECT_EQ(row.curve != nullptr, info.kind == ExplanationKind::Curve) << info.name;
  }
}

TEST(ExplanationRows, HaveNamesKeysAndWordsOfTheirOwn) {
  std::set<std::string> names, titles, keys;
  for (const ExplanationInfo& info : explanationMethods()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_TRUE(titles.insert(info.title).second) << info.title;
    if (!info.keys.empty()) {
      EXPECT_TRUE(keys.insert(info.keys).second) << info.keys;
    }
    EXPECT_EQ(info.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string::npos);
    EXPECT_TRUE(info.help.ends_with(".")) << info.name;
    EXPECT_FALSE(info.source.empty()) << info.name;
  }
}

TEST(ExplanationRows, AreFoundByOlderNamesToo) {
  EXPECT_EQ(findInfo("features").name, "feature-pca");
  EXPECT_EQ(findInfo("features").title, "feature PCA");
  EXPECT_EQ(findInfo("depth").name, "logit-lens");
  EXPECT_EQ(findInfo("depth").title, "logit lens");
  EXPECT_EQ(explanationFromName("features"), explanationFromName("feature-pca"));
  EXPECT_EQ(explanationFromName("by feel"), nullptr);
  EXPECT_THROW(findInfo("by feel"), Failure);
  EXPECT_EQ(explanationOfKind(ExplanationKind::Colors).name, "feature-pca");
  EXPECT_EQ(explanationOfKind(ExplanationKind::Curve).name, "logit-lens");
}

}  // namespace
}  // namespace headlight
