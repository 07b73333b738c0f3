// SPDX-License-Identifier: GPL-3.0-or-later

// Rows that are made again against the rows of the map that the kernels gave.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/attention/softmax/SoftmaxAttention.h"
#include "core/base/Result.h"
#include "core/models/backbones/Model.h"

namespace headlight::softmax_rows_test {

struct Case {
  std::string name;
  Json options = Json::object();
  Grid grid{5, 6, 1};
  std::vector<std::string> masks{"none", "none"};
};

std::vector<Case> cases() {
  return {{"plain"},
          {"hard, soft", Json::object(), {5, 6, 2}, {"hard:3", "soft:3@0.3"}},
          {"strict, random", Json::object(), {5, 6, 1}, {"strict:3", "random:3#7"}},
          {"in linear time", {{"kernel", "linear"}}, {5, 6, 1}, {"hard:3", "strict:1"}},
          {"random in linear time", {{"kernel", "linear"}}, {5, 6, 1}, {"random:3#7", "none"}},
          {"relative", {{"relative_positions", true}}, {5, 6, 1}, {"hard:3", "soft:5@0.5"}},
          {"rotary", {{"rotary", "axial"}}, {5, 6, 3, 2}, {"none", "hard:3"}}};
}

/// Both, as a look takes them.
class BothHook : public CollectingHook {
 public:
  bool wantsRows(int) const override { return true; }
  void keep(int, std::shared_ptr<const MapRows> given) override { rows = std::move(given); }
  std::shared_ptr<const MapRows> rows;
};

std::shared_ptr<SoftmaxAttention> layerOf(const Case& c) {
  seedTorch(9);
  auto layer = std::make_shared<SoftmaxAttention>(
      AttentionOptions{.width = 32, .heads = 2, .grid = c.grid, .options = c.options});
  const at::NoGradGuard noGrad;
  for (auto& item : layer->named_parameters())
    item.value().normal_(0, 0.5);
  std::vector<HeadMask> masks;
  for (const auto& text : c.masks)
    masks.push_back(*headMaskFromText(text));
  layer->setMasks(masks);
  return layer;
}

TEST(SoftmaxRows, AreThoseOfTheMap) {
  for (const Case& c : cases()) {
    const auto layer = layerOf(c);
    const at::NoGradGuard noGrad;
    BothHook tap;
    layer->forward(at::randn({2, c.grid.tokens(), 32}), &tap);
    ASSERT_TRUE(tap.rows) << c.name;
    const at::Tensor map = tap.maps.at(0)[0];
    for (int head = 0; head < 2; ++head)
      for (const auto& [first, count] : std::vector<std::pair<int, int>>{
               {0, 1}, {c.grid.tokens() - 1, 1}, {3, 4}, {0, c.grid.tokens()}}) {
        const auto rows = tap.rows->rows(head, first, count);
        const at::Tensor expected = map[head].narrow(0, first, count);
        ASSERT_EQ(static_cast<std::int64_t>(rows.size()), expected.numel()) << c.name;
        const at::Tensor got = at::tensor(at::ArrayRef<float>(rows)).view({count, c.grid.tokens()});
        EXPECT_LT((got - expected).abs().max().item<float>(), 1e-6)
            << c.name << ", head " << head << ", row " << first;
      }
  }
}

TEST(SoftmaxRows, StayWhatTheyWereWhenMasksAndWeightsChange) {
  const auto layer = layerOf({"plain"});
  const at::NoGradGuard noGrad;
  BothHook tap;
  layer->forward(at::randn({1, 31, 32}), &tap);
  const auto before = tap.rows->rows(1, 4, 2);
  layer->setMasks({*headMaskFromText("hard:3"), *headMaskFromText("strict:1")});
  for (auto& item : layer->named_parameters())
    item.value().normal_(0, 0.5);
  EXPECT_EQ(tap.rows->rows(1, 4, 2), before);
}

}  // namespace headlight::softmax_rows_test
