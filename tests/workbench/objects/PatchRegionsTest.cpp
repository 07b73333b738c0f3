// SPDX-License-Identifier: GPL-3.0-or-later

// DINO's masks, LOST and TokenCut on features beside plain loops; regions, boxes and overlaps known
// by hand; what is refused.

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <random>
#include <string>
#include <utility>

#include "core/base/Result.h"
#include "core/workbench/objects/AttentionMass.h"
#include "core/workbench/objects/LostRegion.h"
#include "core/workbench/objects/NormalizedCut.h"
#include "core/workbench/objects/ObjectMatch.h"
#include "core/workbench/objects/ObjectOptions.h"
#include "tests/workbench/objects/NaiveObjects.h"

namespace headlight {
namespace {

PatchFeatures drawnFeatures(int rows, int cols, int width, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  PatchFeatures features{rows, cols, width, {}};
  for (int i = 0; i < rows * cols * width; ++i)
    features.values.push_back(normal(random));
  return features;
}

/// 6 × 7 patches with features along x, but for a block of 2 × 3 at row 1, column 2, along y.
PatchFeatures plantedBlock() {
  PatchFeatures features{6, 7, 2, {}};
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 7; ++c) {
      const bool inside = r >= 1 && r < 3 && c >= 2 && c < 5;
      const double x = inside ? -0.1 : 1, y = inside ? 1 : 0.01 * c;
      features.values.insert(features.values.end(), {x, y});
    }
  return features;
}

void expectRegion(const PatchRegion& found, const PatchRegion& expected, const std::string& where) {
  EXPECT_EQ(found.seed, expected.seed) << where;
  EXPECT_EQ(found.mask, expected.mask) << where;
  EXPECT_EQ(found.component, expected.component) << where;
  EXPECT_EQ(found.box, expected.box) << where;
  ASSERT_EQ(found.scores.size(), expected.scores.size()) << where;
  for (std::size_t i = 0; i < found.scores.size(); ++i)
    EXPECT_NEAR(found.scores[i], expected.scores[i], 1e-8) << where << ", patch " << i;
}

ErrorCode codeOfFailure(const std::function<void()>& body) {
  try {
    body();
  } catch (const Failure& failure) {
    return failure.error().code;
  }
  ADD_FAILURE() << "nothing was refused";
  return ErrorCode::Io;
}

TEST(PatchRegions, LostIsTheNaiveOne) {
  for (unsigned seed = 0; seed < 8; ++seed)
    for (const int most : {1, 5, 100}) {
      const PatchFeatures features = drawnFeatures(5, 6, 4, seed);
      expectRegion(lostRegion(features, most), naiveLost(features, most),
                   "seed " + std::to_string(seed) + ", k " + std::to_string(most));
    }
}

TEST(PatchRegions, TokenCutIsTheNaiveOne) {
  int compared = 0;
  for (unsigned seed = 0; seed < 8; ++seed)
    for (const double threshold : {0.2, 0.5}) {
      const PatchFeatures features = drawnFeatures(5, 6, 4, 100 + seed);
      double gap = 0;
      const PatchRegion expected = naiveTokenCut(features, threshold, 1e-5, &gap);
      if (gap < 1e-6) continue;
      ++compared;
      expectRegion(normalizedCutRegion(features, threshold, 1e-5), expected,
                   "seed " + std::to_string(seed) + ", threshold " + std::to_string(threshold));
    }
  EXPECT_GT(compared, 8);
}

TEST(PatchRegions, APlantedBlockIsFound) {
  const PatchBox block{1, 2, 3, 5};
  EXPECT_EQ(lostRegion(plantedBlock(), 100).box, block);
  EXPECT_EQ(normalizedCutRegion(plantedBlock(), 0.2, 1e-5).box, block);
}

TEST(PatchRegions, MassIsTheNaiveOne) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform;
  for (const double mass : {0.01, 0.3, 0.6, 0.95, 1.0}) {
    std::vector<double> weights;
    for (int i = 0; i < 40; ++i)
      weights.push_back(uniform(random));
    EXPECT_EQ(keptMass(weights, mass), naiveMass(weights, mass)) << mass;
  }
  EXPECT_EQ(keptMass({0.1, 0.4, 0.2, 0.3}, 0.6), (std::vector<char>{0, 1, 0, 1}));
  EXPECT_EQ(keptMass({1, 1, 1, 1, 1}, 0.6), (std::vector<char>{1, 1, 1, 0, 0}));
  EXPECT_EQ(keptMass({0, 2, -5}, 1), (std::vector<char>{0, 1, 0}));
}

TEST(PatchRegions, HeadsAreJoined) {
  const PatchRegion joined = joinedMass({{8, 1, 1, 0}, {0, 1, 1, 9}}, 0.6, 2, 2);
  EXPECT_EQ(joined.mask, (std::vector<char>{1, 0, 0, 1}));
  EXPECT_EQ(joined.scores, (std::vector<double>{0.5, 0, 0, 0.5}));
  EXPECT_EQ(joined.seed, 3);
  EXPECT_EQ(joined.component, (std::vector<char>{0, 0, 0, 1}));  // corners do not touch
  EXPECT_EQ(joined.box, (PatchBox{1, 1, 2, 2}));
}

TEST(PatchRegions, ConnectedPatchesAreFlooded) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::vector<char> mask;
    for (int i = 0; i < 6 * 9; ++i)
      mask.push_back(random() % 2 == 0);
    const int seed = static_cast<int>(random() % mask.size());
    EXPECT_EQ(connectedPatches(mask, 6, 9, seed), naiveFlood(mask, 6, 9, seed));
  }
}

TEST(PatchRegions, EqualFeaturesAreOneObjectOrNone) {
  const PatchFeatures equal{2, 3, 1, std::vector<double>(6, 2.0)};
  const PatchRegion whole = lostRegion(equal, 100);
  EXPECT_EQ(whole.mask, std::vector<char>(6, 1));
  EXPECT_EQ(whole.box, (PatchBox{0, 0, 2, 3}));
  EXPECT_EQ(codeOfFailure([&] { normalizedCutRegion(equal, 0.2, 1e-5); }), ErrorCode::NotFound);
  const PatchFeatures zero{2, 3, 1, std::vector<double>(6, 0.0)};
  EXPECT_EQ(codeOfFailure([&] { lostRegion(zero, 100); }), ErrorCode::NotFound);
  EXPECT_EQ(codeOfFailure([&] { normalizedCutRegion(zero, 0.2, 1e-5); }), ErrorCode::NotFound);
  EXPECT_EQ(codeOfFailure([] { joinedMass({{0, 0}}, 0.6, 1, 2); }), ErrorCode::NotFound);
}

TEST(PatchRegions, RefuseWhatCannotBeCompared) {
  const PatchFeatures one{1, 1, 2, {1, 2}};
  PatchFeatures broken = drawnFeatures(3, 3, 2, 1);
  broken.values[4] = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [features, code] :
       {std::pair(one, ErrorCode::InvalidArgument), std::pair(broken, ErrorCode::Internal)}) {
    const PatchFeatures& given = features;
    EXPECT_EQ(codeOfFailure([&] { lostRegion(given, 100); }), code);
    EXPECT_EQ(codeOfFailure([&] { normalizedCutRegion(given, 0.2, 1e-5); }), code);
  }
  EXPECT_EQ(codeOfFailure([&] {
              joinedMass({{1, broken.values[4]}}, 0.6, 1, 2);
            }),
            ErrorCode::Internal);
}

TEST(PatchRegions, OptionsOutOfRangeAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NO_THROW(requireObjectOptions({}));
  for (const double mass : {0.0, -0.1, 1.1, nan})
    EXPECT_THROW(requireObjectOptions({.mass = mass}), Failure) << mass;
  for (const double epsilon : {0.0, 2.0, nan})
    EXPECT_THROW(requireObjectOptions({.epsilon = epsilon}), Failure) << epsilon;
  EXPECT_THROW(requireObjectOptions({.method = "by feel"}), Failure);
  EXPECT_THROW(requireObjectOptions({.feature = "logits"}), Failure);
  EXPECT_THROW(requireObjectOptions({.seeds = 0}), Failure);
  EXPECT_THROW(requireObjectOptions({.threshold = nan}), Failure);
}

TEST(PatchRegions, OverlapsKnownByHand) {
  const LabeledBoxes truth{{{0, 0, 10, 10}, 2, 100, false},
                           {{20, 20, 10, 10}, 0, 100, false},
                           {{18, 18, 4, 4}, 1, 16, true}};
  const TrueBoxMatch half = bestTrueBox({5, 0, 15, 10}, truth);
  EXPECT_EQ(half.place, 0);
  EXPECT_DOUBLE_EQ(half.overlap, 50.0 / 150);
  EXPECT_FALSE(half.isFound());
  const TrueBoxMatch exact = bestTrueBox({20, 20, 30, 30}, truth);
  EXPECT_EQ(exact.place, 1);
  EXPECT_DOUBLE_EQ(exact.overlap, 1);
  EXPECT_TRUE(exact.isFound());
  EXPECT_FALSE(bestTrueBox({0, 0, 10, 5}, truth).isFound());  // exactly one half
  EXPECT_EQ(bestTrueBox({18, 18, 22, 22}, truth).place, 1);   // crowds are left out
  EXPECT_EQ(bestTrueBox({0, 0, 10, 10}, {}).place, -1);
  EXPECT_EQ(matchText(half, truth, {"a", "b", "cat"}), "IoU 0.33 with cat");
  EXPECT_EQ(matchText({}, truth, {}), "");
  const BoxSides sides = boxOfPatches({1, 2, 3, 4}, Grid{4, 8, 1});
  EXPECT_EQ(sides, (BoxSides{0.25, 0.25, 0.5, 0.75}));
}

}  // namespace
}  // namespace headlight
