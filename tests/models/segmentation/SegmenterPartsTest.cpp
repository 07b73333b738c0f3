// SPDX-License-Identifier: GPL-3.0-or-later

// The parts of the segmenter against naive ones, in double precision, and their gradients.

#include <gtest/gtest.h>

#include <cmath>

#include "core/models/segmentation/PixelScores.h"
#include "core/models/segmentation/SinePositions.h"
#include "tests/attention/Gradients.h"
#include "tests/models/segmentation/SegmenterSupport.h"

namespace headlight {
namespace {

const LevelGrids kLevelGrids{{2, 3, 0}, {4, 6, 0}, {8, 12, 0}};
const std::vector<NaiveSides> kLevelSides{{2, 3}, {4, 6}, {8, 12}};

at::Tensor segmenterDoubles(const std::vector<std::int64_t>& shape) {
  return at::randn(shape, at::kDouble);
}

TEST(SinePositions, AreThoseOfLoops) {
  for (const auto& [rows, cols] : {std::pair{1, 1}, std::pair{3, 5}, std::pair{7, 2}})
    expectNear(sinePositions({rows, cols, 0}, 12, at::kDouble),
               NaiveSegmenter::sines({rows, cols}, 12), 1e-12, std::to_string(rows));
}

TEST(SinePositions, TellRowsFirst) {
  const at::Tensor positions = sinePositions({4, 5, 0}, 8, at::kDouble).view({4, 5, 8});
  EXPECT_TRUE(at::equal(positions[2][0].narrow(0, 0, 4), positions[2][3].narrow(0, 0, 4)));
  EXPECT_TRUE(at::equal(positions[0][3].narrow(0, 4, 4), positions[2][3].narrow(0, 4, 4)));
  EXPECT_GT((positions[0][3] - positions[2][3]).abs().max().item<double>(), 0.1);
}

TEST(DeformableAttention, IsTheNaiveOne) {
  const auto [part, naive] =
      stirredPart(std::make_shared<DeformableAttention>(DeformableShape{16, 2, 3, 4}), 2);
  const at::Tensor queries = segmenterDoubles({2, 126, 16}), cells = segmenterDoubles({2, 126, 16});
  expectNear(part->forward(queries, cells, kLevelGrids),
             naive.deformable(queries, cells, kLevelSides, "part"), 1e-10, "attention");
}

/// Between the centers of cells, beyond the edges, and exactly on a center.
TEST(SampledValues, AreReadBilinearlyAndAreZeroOutside) {
  const LevelGrids grids{{2, 3, 0}, {3, 2, 0}};
  const at::Tensor values = segmenterDoubles({2, 12, 2, 3});
  const at::Tensor places = 6 * at::rand({2, 5, 2, 2, 4, 2}, at::kDouble) - 1.5,
                   weights = at::rand({2, 5, 2, 2, 4}, at::kDouble);
  places[0][0] = 1.5;
  const at::Tensor found = sampledValues(values, grids, {places, weights});
  for (int b = 0; b < 2; ++b)
    for (int q = 0; q < 5; ++q)
      for (int h = 0; h < 2; ++h)
        for (int f = 0; f < 3; ++f) {
          double expected = 0;
          const at::Tensor cells = values[b].select(1, h).contiguous();
          for (int l = 0; l < 2; ++l)
            for (int p = 0; p < 4; ++p)
              expected += weights[b][q][h][l][p].item<double>() *
                          NaiveSegmenter::readAt(cells.accessor<double, 2>(), 6 * l,
                                                 {grids[l].rows, grids[l].cols}, f,
                                                 places[b][q][h][l][p][0].item<double>(),
                                                 places[b][q][h][l][p][1].item<double>());
          ASSERT_NEAR(found[b][q][h * 3 + f].item<double>(), expected, 1e-12);
        }
}

TEST(DeformableAttention, GradientsAreFiniteDifferences) {
  const auto [part, naive] =
      stirredPart(std::make_shared<DeformableAttention>(DeformableShape{8, 2, 3, 2}), 2);
  const LevelGrids grids{{1, 2, 0}, {2, 4, 0}, {4, 8, 0}};
  const at::Tensor input = segmenterDoubles({1, 42, 8}).requires_grad_(true),
                   weights = segmenterDoubles({1, 42, 8});
  const auto& layer = part;
  testing::expectFiniteDifferences(
      *layer, input, [&] { return (layer->forward(input, input, grids) * weights).sum(); });
}

/// Each head looks along a direction of its own, point p at p + 1 cells, all alike.
TEST(DeformableAttention, StartsInEightDirections) {
  DeformableAttention attention({32, 8, 3, 4});
  const at::NoGradGuard noGrad;
  const LevelGrids grids{{8, 8, 0}, {8, 8, 0}, {8, 8, 0}};
  const SampledPlaces start = attention.placesOf(at::randn({1, 192, 32}), grids);
  EXPECT_LT((start.weights - 1.0 / 12).abs().max().item<double>(), 1e-6);
  const double diagonal[8][2] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                 {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
  const int row = 2, col = 5;
  for (int h = 0; h < 8; ++h)
    for (int l = 0; l < 3; ++l)
      for (int p = 0; p < 4; ++p)
        for (int axis = 0; axis < 2; ++axis)
          EXPECT_NEAR(start.places[0][row * 8 + col][h][l][p][axis].item<double>(),
                      (axis == 0 ? col : row) + 0.5 + (p + 1) * diagonal[h][axis], 1e-5)
              << h << " " << p;
}

TEST(LevelCenters, AreFractionsOfTheImage) {
  const at::Tensor centers = levelCenters({{1, 2, 0}, {2, 4, 0}}, at::kDouble);
  ASSERT_EQ(centers.sizes(), (std::vector<std::int64_t>{10, 2}));
  const double expected[10][2] = {{.25, .5},   {.75, .5},   {.125, .25}, {.375, .25}, {.625, .25},
                                  {.875, .25}, {.125, .75}, {.375, .75}, {.625, .75}, {.875, .75}};
  for (int i = 0; i < 10; ++i)
    for (int axis = 0; axis < 2; ++axis)
      EXPECT_NEAR(centers[i][axis].item<double>(), expected[i][axis], 1e-15) << i;
}

PixelDecoderShape microPixelDecoder() {
  return {.in = 12, .width = 16, .heads = 2, .groups = 4, .layers = 2, .hidden = 20};
}

std::vector<at::Tensor> microMaps() {
  return {segmenterDoubles({2, 12, 16, 24}), segmenterDoubles({2, 12, 8, 12}),
          segmenterDoubles({2, 12, 4, 6}), segmenterDoubles({2, 12, 2, 3})};
}

TEST(PixelDecoder, IsTheNaiveOne) {
  const auto [part, naive] = stirredPart(std::make_shared<PixelDecoder>(microPixelDecoder()), 2);
  const auto maps = microMaps();
  const PixelMaps found = part->forward(maps);
  const auto expected = naive.pixelDecoder(maps, "part", 4);
  ASSERT_EQ(found.levels.size(), 3u);
  for (std::size_t l = 0; l < 3; ++l)
    expectNear(found.levels[l], expected.levels[l], 1e-9, "level " + std::to_string(l));
  expectNear(found.features, expected.features, 1e-9, "features");
}

/// Levels and features of two images at random.
PixelMaps randomPixels() {
  return {{segmenterDoubles({2, 16, 2, 3}), segmenterDoubles({2, 16, 4, 6}),
           segmenterDoubles({2, 16, 8, 12})},
          segmenterDoubles({2, 16, 16, 24})};
}

DecoderShape microDecoder(int layers) {
  return {.width = 16, .heads = 2, .queries = 6, .layers = layers, .hidden = 20, .classes = 5};
}

TEST(MaskedDecoder, IsTheNaiveOne) {
  for (const int layers : {1, 4}) {
    const auto [part, naive] =
        stirredPart(std::make_shared<MaskedDecoder>(microDecoder(layers)), 2);
    const PixelMaps pixels = randomPixels();
    const SegmentScores found = part->forward(pixels);
    ASSERT_EQ(found.masks.size(), layers + 1u);
    expectNear(found, naive.decoder({pixels.levels, pixels.features}, "part"), 1e-9);
  }
}

/// Masks are wide of ½ where the steps are small enough, so what queries see stays as it is.
TEST(MaskedDecoder, GradientsAreFiniteDifferences) {
  const auto [part, naive] = stirredPart(std::make_shared<MaskedDecoder>(microDecoder(3)), 2);
  const PixelMaps pixels = randomPixels();
  const at::Tensor input = pixels.features.clone().requires_grad_(true);
  const at::Tensor onMasks = segmenterDoubles({2, 6, 16, 24}),
                   onClasses = segmenterDoubles({2, 6, 6});
  const auto& decoder = part;
  testing::expectFiniteDifferences(*decoder, input, [&] {
    const SegmentScores scores = decoder->forward({pixels.levels, input});
    at::Tensor sum = at::zeros({}, at::kDouble);
    for (std::size_t i = 0; i < scores.masks.size(); ++i)
      sum = sum + (scores.masks[i] * onMasks).sum() / 100 + (scores.classes[i] * onClasses).sum();
    return sum;
  });
}

TEST(MaskedDecoder, QueriesLookOnlyWithinTheirLastMask) {
  const auto [part, naive] = stirredPart(std::make_shared<MaskedDecoder>(microDecoder(4)), 2);
  const PixelMaps pixels = randomPixels();
  DecoderMaps maps;
  const SegmentScores scores = part->forward(pixels, &maps);
  expectNear(scores, part->forward(pixels), 1e-15);
  ASSERT_EQ(maps.cross.size(), 4u);
  EXPECT_EQ(maps.grids[0], (Grid{2, 3, 0}));
  EXPECT_EQ(maps.grids[2], (Grid{8, 12, 0}));
  EXPECT_EQ(maps.grids[3], (Grid{2, 3, 0}));
  std::int64_t hidden = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const at::Tensor& map = maps.cross[i];
    EXPECT_FALSE(map.requires_grad());
    ASSERT_EQ(map.sizes(), (std::vector<std::int64_t>{2, 2, 6, maps.grids[i].patches()}));
    EXPECT_LT((map.sum(-1) - 1).abs().max().item<double>(), 1e-12);
    const at::Tensor seen =
        NaiveSegmenter::seenBy(scores.masks[i].detach(), {maps.grids[i].rows, maps.grids[i].cols});
    EXPECT_TRUE(at::equal(seen.unsqueeze(1).expand_as(map), map > 0)) << i;
    hidden += seen.logical_not().sum().item<std::int64_t>();
  }
  EXPECT_GT(hidden, 50);
}

TEST(SeenWithin, IsEverythingForAMaskThatIsNowhere) {
  const at::Tensor masks = at::full({1, 3, 8, 8}, -1.0);
  masks[0][1].fill_(0.0);                                  // exactly ½
  masks[0][2].narrow(0, 0, 4).narrow(1, 4, 4).fill_(1.0);  // a corner
  const at::Tensor seen = seenWithin(masks, {2, 2, 0});
  EXPECT_TRUE(seen[0][0].all().item<bool>());
  EXPECT_TRUE(seen[0][1].all().item<bool>());
  EXPECT_TRUE(at::equal(seen[0][2], at::tensor({0, 1, 0, 0}).to(at::kBool)));
}

TEST(PixelScores, SumSharesOfClassesOverQueries) {
  const at::Tensor classes = segmenterDoubles({2, 3, 5}), masks = segmenterDoubles({2, 3, 2, 4});
  const at::Tensor found = pixelScores(classes, masks), greatest = greatestScores(classes, masks);
  ASSERT_EQ(found.sizes(), (std::vector<std::int64_t>{2, 4, 2, 4}));
  for (int b = 0; b < 2; ++b)
    for (int k = 0; k < 4; ++k) {
      double most = 0;
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 4; ++c) {
          double expected = 0;
          for (int q = 0; q < 3; ++q) {
            double all = 0;
            for (int other = 0; other < 5; ++other)
              all += std::exp(classes[b][q][other].item<double>());
            expected += std::exp(classes[b][q][k].item<double>()) / all /
                        (1 + std::exp(-masks[b][q][r][c].item<double>()));
          }
          EXPECT_NEAR(found[b][k][r][c].item<double>(), expected, 1e-12);
          most = std::max(most, expected);
        }
      EXPECT_NEAR(greatest[b][k].item<double>(), std::log(most), 1e-12);
    }
}

}  // namespace
}  // namespace headlight
