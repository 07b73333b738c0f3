// SPDX-License-Identifier: GPL-3.0-or-later

// The list of published weights: its file, what the registry knows of it, names and searches.

#include "core/workbench/hub/PublishedWeights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <set>

#include "core/models/Registry.h"

namespace headlight::testing {
namespace {

std::vector<PublishedWeights> wholeList() {
  std::ifstream file(HEADLIGHT_SOURCE_DIR "/models/published_weights.tsv");
  return weightsFromText(std::string(std::istreambuf_iterator<char>(file), {}));
}

TEST(PublishedWeights, EveryLineIsWhole) {
  const auto all = wholeList();
  ASSERT_GT(all.size(), 400u);
  std::set<std::string> names;
  for (const auto& weights : all) {
    EXPECT_TRUE(names.insert(weights.name).second) << weights.name;
    EXPECT_FALSE(weights.tag().empty()) << weights.name;
    EXPECT_FALSE(weights.license.empty()) << weights.name;
    EXPECT_TRUE(weights.repository.starts_with("timm/")) << weights.name;
    EXPECT_GT(weights.parameters, 100'000) << weights.name;
    EXPECT_GT(weights.imageSize, 0) << weights.name;
  }
}

TEST(PublishedWeights, WhatTheRegistryKnowsIsListed) {
  std::size_t known = 0;
  for (const auto& weights : wholeList())
    known += findPublishedModel(weights.architecture()) != nullptr;
  EXPECT_LE(publishedWeights().size(), known);
  EXPECT_GT(publishedWeights().size(), 20u);
  for (const auto& weights : publishedWeights())
    EXPECT_NE(findPublishedModel(weights.architecture()), nullptr) << weights.name;
}

/// timm's count of parameters and ours, of every architecture with the same number of classes.
TEST(PublishedWeights, ParametersAreOurs) {
  for (const auto& weights : publishedWeights()) {
    ModelConfig config = findPublishedModel(weights.architecture())->config;
    if (config.classes != weights.classes || config.imageSize != weights.imageSize) continue;
    EXPECT_EQ(modelCost(config).parameters, weights.parameters) << weights.name;
  }
}

TEST(PublishedWeights, NamesWithTheirTagWithoutItAndOnTheHub) {
  const auto whole = weightsNamed("vit_tiny_patch16_224.augreg_in21k");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->repository, "timm/vit_tiny_patch16_224.augreg_in21k");
  EXPECT_EQ(whole->license, "apache-2.0");
  EXPECT_EQ(whole->classes, 21843);
  const auto first = weightsNamed("deit_tiny_patch16_224");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->name, "deit_tiny_patch16_224.fb_in1k");
  EXPECT_EQ(first->parameters, 5'717'416);
  EXPECT_EQ(sizeText(*first), "23 MB");
  EXPECT_EQ(parametersText(*first), "5.7 M");
  EXPECT_EQ(weightsNamed("timm/deit_tiny_patch16_224.fb_in1k")->parameters, 5'717'416);
  const auto others = weightsNamed("somebody/their.model-2");
  ASSERT_TRUE(others);
  EXPECT_EQ(others->name, "their.model-2");
  EXPECT_EQ(others->repository, "somebody/their.model-2");
  EXPECT_EQ(sizeText(*others), "");
}

TEST(PublishedWeights, UnknownNamesSuggestSimilarOnes) {
  const auto close = weightsNamed("deit_tiny_patch16_224.fb_in1");
  ASSERT_FALSE(close);
  EXPECT_EQ(close.error().code, ErrorCode::InvalidArgument);
  EXPECT_NE(close.error().text().find("deit_tiny_patch16_224.fb_in1k"), std::string::npos);
  for (const char* name :
       {"", "..", "../x", "a/../b", "a/b/c", "/x", "x/", "a/.b", "a b/c", "a--b/c"})
    EXPECT_FALSE(weightsNamed(name)) << name;
}

TEST(PublishedWeights, WordsFindThem) {
  const PublishedWeights weights = *weightsNamed("deit_tiny_patch16_224");
  EXPECT_TRUE(isFoundBy(weights, ""));
  EXPECT_TRUE(isFoundBy(weights, "Tiny DEIT"));
  EXPECT_TRUE(isFoundBy(weights, "apache fb_in1k"));
  EXPECT_FALSE(isFoundBy(weights, "deit small"));
}

TEST(PublishedWeights, ALineThatIsNoneNamesItself) {
  for (const char* text :
       {"# head\na\tb\tc", "# head\na\t-\tmit\t-1\t5\t224", "\na\t-\tmit\t1\tx\t224"})
    try {
      weightsFromText(text);
      ADD_FAILURE() << text;
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.error().code, ErrorCode::InvalidFile);
      EXPECT_NE(failure.error().where.find("line 2"), std::string::npos) << failure.error().text();
    }
}

}  // namespace
}  // namespace headlight::testing
