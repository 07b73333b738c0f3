// SPDX-License-Identifier: GPL-3.0-or-later

// Layers that keep something for every pair of tokens are refused where there are too many of them,
// before anything is allocated: building as counting.

#include "core/attention/base/TokenPairLimit.h"

#include <gtest/gtest.h>

#include <functional>

#include "core/attention/Mechanisms.h"

namespace headlight::token_pair_limit_test {

struct Attempt {
  std::string mechanism;
  Json options;
  Grid grid;
  std::string path;  ///< of the refusal
};

std::string pathOf(const std::function<void()>& attempt) {
  try {
    attempt();
  } catch (const Failure& failure) {
    EXPECT_NE(failure.error().message.find("; use "), std::string::npos) << failure.error().message;
    return failure.error().where;
  }
  return "taken";
}

TEST(TokenPairLimit, EndWhereThereAreMoreThanOf4096Tokens) {
  EXPECT_EQ(pathOf([] { requireTokenPairsFit(4096); }), "taken");
  EXPECT_EQ(pathOf([] { requireTokenPairsFit(4097); }), "model.patch_size");
  EXPECT_EQ(pathOf([] { requireTokenPairsFit(65536, 49, "a", "use b"); }), "taken");
  EXPECT_EQ(pathOf([] { requireTokenPairsFit(65536, 257, "a", "use b"); }), "a");
  EXPECT_EQ(pathOf([] { requireTokenPairsFit(std::int64_t{1} << 31); }), "model.patch_size");
}

TEST(TokenPairLimit, AreAskedForByEveryMechanismThatKeepsThem) {
  const Grid large{256, 256, 0};
  const std::vector<Attempt> attempts{
      {"gated_positional", Json::object(), large, "model.patch_size"},
      {"aft_local", Json::object(), large, "model.patch_size"},
      {"aft_full", {{"factorized", false}}, large, "model.attention.factorized"},
      {"learned_mask", {{"rolled", false}}, large, "model.patch_size"},
      {"learned_mask", {{"initialization", "random"}}, large, "model.patch_size"},
      {"window", {{"window", 256}}, large, "model.attention.window"},
      {"window", {{"window", 65}, {"shift", false}}, large, "model.attention.window"},
      {"lsla", {{"window", 64}}, large, "model.attention.window"},
      {"synthesizer", {{"synthesis", "random"}}, large, "model.attention.synthesis"},
  };
  for (const auto& [mechanism, given, grid, path] : attempts) {
    const AttentionOptions options{
        .layerInStage = 1, .width = 8, .heads = 2, .grid = grid, .options = given};
    EXPECT_EQ(pathOf([&] { makeAttention(mechanism, options); }), path) << mechanism << given;
    EXPECT_EQ(pathOf([&] {
                CostCounter counter;
                findMechanism(mechanism).count(counter, options);
              }),
              path)
        << mechanism << given;
  }
}

TEST(TokenPairLimit, AreNoMatterToTheOthers) {
  for (const Mechanism& mechanism : mechanisms()) {
    const std::string& name = mechanism.variant.name;
    if (name == "gated_positional" || name == "aft_local" || name == "learned_mask") continue;
    CostCounter counter;
    mechanism.count(counter, {.layerInStage = 1, .width = 8, .heads = 2, .grid = {256, 256, 0}});
    EXPECT_GT(counter.cost().macs, 0) << name;
  }
}

}  // namespace headlight::token_pair_limit_test
