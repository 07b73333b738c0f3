// SPDX-License-Identifier: GPL-3.0-or-later

// The parts of the detectors against naive ones, in double precision.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/models/detection/DetectorTrunk.h"
#include "core/models/detection/PanNeck.h"
#include "core/models/detection/TokenMaps.h"
#include "core/models/layers/Parts.h"
#include "tests/models/StirNorms.h"
#include "tests/models/detection/NaiveDetector.h"

namespace headlight {
namespace {

/// Under the name "part", in double precision and evaluation mode, norms stirred.
template <typename Part>
std::pair<std::shared_ptr<Part>, NaiveDetector> prepared(std::shared_ptr<Part> part) {
  Holder holder;
  holder.register_module("part", part);
  holder.to(at::kDouble);
  holder.eval();
  stirNorms(holder);
  ModelTensors state;
  for (const auto& item : holder.named_parameters())
    state.emplace_back(item.key(), item.value());
  for (const auto& item : holder.named_buffers())
    state.emplace_back(item.key(), item.value());
  return {part, NaiveDetector(state, 32)};
}

at::Tensor doubles(std::vector<std::int64_t> shape) {
  return at::randn(shape, at::kDouble);
}

void expectClose(const at::Tensor& found, const at::Tensor& expected) {
  ASSERT_EQ(found.sizes(), expected.sizes());
  EXPECT_GT(expected.abs().max().item<double>(), 1e-3);
  EXPECT_LT((found - expected).abs().max().item<double>(), 1e-10);
}

TEST(DetectorParts, SqueezeAndExcitation) {
  seedTorch(1);
  const auto [part, naive] = prepared(std::make_shared<SqueezeExcitation>(12));
  const at::Tensor x = doubles({2, 12, 3, 4});
  expectClose(part->forward(x), naive.squeeze(x, "part"));
}

TEST(DetectorParts, LayersOfLcnet) {
  seedTorch(2);
  for (const LcShape& shape : {LcShape{8, 12, 3, 1}, LcShape{8, 12, 5, 2, true}}) {
    const auto [part, naive] = prepared(std::make_shared<LcLayer>(shape));
    const at::Tensor x = doubles({2, 8, 6, 8});
    expectClose(part->forward(x), naive.lcLayer(x, "part", shape.stride));
  }
}

TEST(DetectorParts, BlocksOfEsnet) {
  seedTorch(3);
  const auto [block, naive] = prepared(std::make_shared<EsBlock>(EsShape{16, 16, 8}));
  const at::Tensor x = doubles({2, 16, 5, 4});
  expectClose(block->forward(x), naive.esBlock(x, "part"));
  const auto [down, naiveDown] = prepared(std::make_shared<EsDownsample>(EsShape{8, 16, 24, 2}));
  const at::Tensor y = doubles({2, 8, 6, 8});
  expectClose(down->forward(y), naiveDown.esDownsample(y, "part"));
}

TEST(DetectorParts, NecksGiveFourLevelsOfOneWidth) {
  for (const std::string kind : {"csp_pan", "lc_pan"}) {
    PanNeck neck({kind, {8, 12, 16}, 20});
    const auto maps = neck.forward(
        {at::randn({2, 8, 12, 20}), at::randn({2, 12, 6, 10}), at::randn({2, 16, 3, 5})});
    ASSERT_EQ(maps.size(), 4u);
    const std::vector<std::vector<std::int64_t>> sides{{12, 20}, {6, 10}, {3, 5}, {2, 3}};
    for (std::size_t level = 0; level < maps.size(); ++level)
      EXPECT_EQ(maps[level].sizes(),
                (std::vector<std::int64_t>{2, 20, sides[level][0], sides[level][1]}));
  }
}

TEST(DetectorParts, DoubledRepeatsEveryValue) {
  const at::Tensor x = at::randn({1, 2, 2, 3}), twice = doubled(x);
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 6; ++c)
      EXPECT_TRUE(at::equal(twice.select(2, r).select(2, c), x.select(2, r / 2).select(2, c / 2)));
}

TEST(TokenMaps, ComeBackAsTheyWere) {
  const PackedMaps shapes{{6, 16}, {4, 8}, {3, 32}};
  const std::vector<at::Tensor> maps{at::randn({2, 6, 4, 6}), at::randn({2, 4, 8, 12}),
                                     at::randn({2, 3, 2, 3})};
  const at::Tensor tensor = packed(maps, shapes);
  EXPECT_EQ(tensor.sizes(), (std::vector<std::int64_t>{2, 2, 3 * (4 * 6 + 16 * 4 + 3)}));
  const auto back = unpacked(tensor, shapes);
  for (std::size_t i = 0; i < maps.size(); ++i)
    EXPECT_TRUE(at::equal(back[i], maps[i])) << i;
  const at::Tensor tokens = packedTokens(tensor, shapes);
  EXPECT_EQ(tokens.sizes(), (std::vector<std::int64_t>{2, 4 * 6, 6}));
  EXPECT_TRUE(at::equal(tokens, maps[0].flatten(2).transpose(1, 2)));
}

}  // namespace
}  // namespace headlight
