// SPDX-License-Identifier: GPL-3.0-or-later

// Points of masks: drawn from their key alone, read bilinearly, the uncertain ones chosen.

#include "core/training/segmentation/MaskPoints.h"

#include <gtest/gtest.h>

#include "core/models/backbones/Model.h"
#include "tests/training/segmentation/NaiveSegments.h"

namespace headlight {
namespace {

at::Tensor drawnMaps(std::int64_t count, std::int64_t height, std::int64_t width) {
  const auto random = holdTorchRandom();
  seedTorch(5);
  return at::randn({count, height, width}, at::kDouble);
}

double farthest(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

TEST(MaskPoints, AreAsManyAsPixelsAtMost) {
  EXPECT_EQ(maskPoints(64, 64), 4096);
  EXPECT_EQ(maskPoints(112, 112), 12544);
  EXPECT_EQ(maskPoints(512, 1024), 12544);
  EXPECT_EQ(maskPoints(512, 1024, 700), 700);
  EXPECT_EQ(maskPoints(16, 16, 700), 256);
}

TEST(MaskPoints, DependOnTheirKeyAlone) {
  const at::Tensor first = drawnPoints(3, 2, 50, at::kDouble);
  {
    const auto random = holdTorchRandom();
    seedTorch(99);
    at::rand({7});
    EXPECT_TRUE(at::equal(drawnPoints(3, 2, 50, at::kDouble), first));
    const at::Tensor next = at::rand({7});
    seedTorch(99);
    at::rand({7});
    drawnPoints(4, 1, 9, at::kFloat);
    EXPECT_TRUE(at::equal(at::rand({7}), next)) << "what others draw stays as it is";
  }
  EXPECT_FALSE(at::equal(drawnPoints(4, 2, 50, at::kDouble), first));
  EXPECT_TRUE(at::equal(drawnPoints(3, 2, 50, at::kFloat).to(at::kDouble), first));
  EXPECT_GE(first.min().item<double>(), 0);
  EXPECT_LT(first.max().item<double>(), 1);
}

TEST(MaskPoints, AreReadBilinearlyAndZeroBeyondTheMap) {
  const at::Tensor maps = drawnMaps(3, 5, 7), points = drawnPoints(1, 3, 200, at::kDouble);
  const at::Tensor own = atOwnPoints(maps, points), shared = atSharedPoints(maps, points[0]);
  ASSERT_EQ(own.sizes(), (at::IntArrayRef{3, 200}));
  ASSERT_EQ(shared.sizes(), own.sizes());
  for (std::int64_t map = 0; map < 3; ++map) {
    const naive::Mask mask{5, 7, naive::numbers(maps[map])};
    const naive::Points places = naive::pointsOf(points[map]), first = naive::pointsOf(points[0]);
    for (std::int64_t i = 0; i < 200; ++i) {
      EXPECT_NEAR(own[map][i].item<double>(), mask.at(places[std::size_t(i)]), 1e-12);
      EXPECT_NEAR(shared[map][i].item<double>(), mask.at(first[std::size_t(i)]), 1e-12);
    }
  }
}

TEST(MaskPoints, AreMostlyTheUncertainOnes) {
  const at::Tensor maps = drawnMaps(2, 6, 6);
  constexpr std::int64_t kPoints = 100;
  const at::Tensor found = uncertainPoints(maps, kPoints, 8);
  ASSERT_EQ(found.sizes(), (at::IntArrayRef{2, kPoints, 2}));
  for (std::int64_t map = 0; map < 2; ++map) {
    const naive::Mask mask{6, 6, naive::numbers(maps[map])};
    naive::Points wanted = naive::lossPoints(mask, map, 2, kPoints, 8);
    naive::Points places = naive::pointsOf(found[map]);
    const auto before = [](naive::Point a, naive::Point b) {
      return a.x < b.x || (a.x == b.x && a.y < b.y);
    };
    std::sort(wanted.begin(), wanted.end(), before);
    std::sort(places.begin(), places.end(), before);
    for (std::size_t i = 0; i < places.size(); ++i) {
      EXPECT_EQ(places[i].x, wanted[i].x);
      EXPECT_EQ(places[i].y, wanted[i].y);
    }
  }
  EXPECT_EQ(farthest(uncertainPoints(maps, kPoints, 8), found), 0);
}

}  // namespace
}  // namespace headlight
