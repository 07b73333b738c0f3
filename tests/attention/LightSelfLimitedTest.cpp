// SPDX-License-Identifier: GPL-3.0-or-later

// Light self-limited attention against loops written from ViT-LSLA's Eq. 18 and Algorithm 1, and
// its kinship to Swin's.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/attention/softmax/LightSelfLimited.h"
#include "core/attention/softmax/WindowAttention.h"
#include "core/base/Result.h"
#include "core/models/backbones/Model.h"
#include "tests/attention/Gradients.h"
#include "tests/attention/NaiveWindows.h"

namespace headlight::light_self_limited_test {

struct Case {
  Grid grid;
  int window, layerInStage, heads, headWidth;
  std::vector<std::string> masks;
  Json own = Json::object();  ///< options beside the window

  int width() const { return heads * headWidth; }
  bool shifted() const { return layerInStage % 2 == 1; }
  bool padsFirst() const { return own.value("padding", "before_shift") == "before_shift"; }
  AttentionOptions options() const {
    Json all = own;
    all["window"] = window;
    return {.layer = 0,
            .layerInStage = layerInStage,
            .width = width(),
            .heads = heads,
            .grid = grid,
            .options = all};
  }
  std::vector<HeadMask> headMasks() const {
    std::vector<HeadMask> result;
    for (const auto& text : masks)
      result.push_back(*headMaskFromText(text));
    return result;
  }
};

std::vector<Case> casesOfToday() {
  return {{{4, 4, 0}, 2, 0, 1, 4, {"none"}},
          {{4, 6, 0}, 2, 1, 3, 8, {"none", "hard:1", "strict:1"}, {{"variant", "qkv"}}},
          {{8, 8, 0},
           4,
           1,
           4,
           3,
           {"hard:3", "soft:3@0.3", "strict:3", "random:3#5"},
           {{"variant", "qxv"}, {"projection", false}}},
          {{7, 5, 0}, 4, 1, 2, 5, {"soft:3@0.7", "none"}, {{"variant", "qkv"}}},
          {{7, 5, 0}, 4, 0, 2, 5, {"none", "hard:3"}, {{"projection", false}}},
          {{3, 9, 0}, 5, 1, 2, 4, {"none", "none"}, {{"scale", "fixed"}}},
          {{4, 4, 0}, 2, 1, 2, 4, {"none", "none"}, {{"inner_bias", false}}},
          {{3, 4, 0}, 7, 1, 2, 4, {"hard:3", "none"}, {{"outer_bias", false}}},
          // With class and distillation tokens: one window, and several, shifted and padded.
          {{3, 4, 1}, 7, 0, 2, 4, {"none", "hard:3"}},
          {{4, 4, 1}, 2, 1, 2, 4, {"strict:1", "none"}, {{"variant", "qxv"}}},
          {{7, 5, 2},
           4,
           1,
           4,
           3,
           {"hard:3", "soft:3@0.3", "strict:3", "random:3#5"},
           {{"variant", "qkv"}}},
          {{4, 6, 2},
           3,
           0,
           1,
           4,
           {"none"},
           {{"scale", "fixed"}, {"inner_bias", false}, {"outer_bias", false}}},
          // Windows of 7 that divide neither side, shifted and not, with biases on values.
          {{5, 9, 0}, 7, 1, 2, 3, {"none", "hard:3"}, {{"variant", "qxv"}}},
          {{6, 10, 0}, 4, 1, 2, 3, {"soft:3@0.4", "strict:3"}, {{"variant", "qkv"}}},
          {{6, 10, 0}, 4, 0, 2, 3, {"none", "hard:3"}, {{"variant", "qxv"}}},
          {{6, 10, 1}, 7, 1, 1, 3, {"none"}}};
}

/// With the padding of today, before the shift, and with that of configs of before.
std::vector<Case> cases() {
  std::vector<Case> all = casesOfToday();
  for (Case old : casesOfToday()) {
    old.own["padding"] = "after_shift";
    all.push_back(old);
  }
  return all;
}

/// Scale and tables are drawn wide, so that a mistake in them shows.
std::shared_ptr<LightSelfLimitedAttention> makeLayer(const Case& c, at::ScalarType type) {
  seedTorch(6);
  auto layer = std::make_shared<LightSelfLimitedAttention>(c.options());
  {
    const at::NoGradGuard noGrad;
    for (auto& item : layer->named_parameters())
      if (item.key().ends_with("bias_table") || item.key() == "dynamic_scale")
        item.value().normal_(0, 0.5);
  }
  layer->to(type);
  layer->setMasks(c.headMasks());
  return layer;
}

/// In double, or undefined where the layer has no such parameter.
at::Tensor parameter(const torch::nn::Module& layer, const std::string& name) {
  const auto parameters = layer.named_parameters();
  const auto* found = parameters.find(name);
  return found ? found->detach().to(at::kDouble) : at::Tensor();
}

/// Padded tokens [N + 1, D] through a projection that the layer may lack; one head of them.
at::Tensor head(const Case& c, const torch::nn::Module& layer, const at::Tensor& padded,
                const std::string& name, int index) {
  const at::Tensor weight = parameter(layer, name + ".weight");
  const at::Tensor all =
      weight.defined() ? at::linear(padded, weight, parameter(layer, name + ".bias")) : padded;
  return all.slice(1, index * c.headWidth, (index + 1) * c.headWidth).contiguous();
}

/// As 256 pixels have it: the first stage of such a model.
Case largeCase(const char* padding) {
  return {{64, 64, 0}, 7, 1, 1, 4, {"none"}, {{"padding", padding}}};
}

TEST(LightSelfLimited, EqualsTheNaiveReference) {
  constexpr double kTolerance = 1e-5;  // float32 against double
  std::vector<Case> all = cases();
  all.push_back(largeCase("before_shift"));
  for (const Case& c : all) {
    const auto layer = makeLayer(c, at::kFloat);
    const int tokens = c.grid.tokens(), columns = std::min(c.grid.cols, c.window);
    const at::Tensor x = at::randn({2, tokens, c.width()});
    CollectingHook tap;
    const at::NoGradGuard noGrad;
    const at::Tensor output = layer->forward(x, &tap).to(at::kDouble);
    const at::Tensor scale = parameter(*layer, "dynamic_scale"),
                     inner = parameter(*layer, "inner_bias_table"),
                     outer = parameter(*layer, "outer_bias_table");
    for (int image = 0; image < 2; ++image) {
      const at::Tensor padded = at::cat({x[image].to(at::kDouble), at::zeros({1, c.width()})});
      std::vector<at::Tensor> mixed;
      for (int h = 0; h < c.heads; ++h) {
        const auto bias = [&](const at::Tensor& table, const testing::Place& query,
                              const testing::Place& key) {
          return table.defined() ? testing::relativeEntry(table, h, c.grid, c.window, query, key)
                                 : 0.0;
        };
        testing::NaiveHead naive{head(c, *layer, padded, "q", h), head(c, *layer, padded, "k", h),
                                 head(c, *layer, padded, "v", h), c.headMasks()[h]};
        naive.prefixScale = 1 / std::sqrt(double(c.headWidth));
        naive.padsFirst = c.padsFirst();
        if (naive.mask.kind == MaskKind::Random)
          naive.selected = layer->named_buffers()["random_mask"][h];
        naive.logit = [&](const testing::Place& query, const testing::Place& key, double product) {
          const double factor =
              scale.defined() ? scale[query.row * columns + query.col][key.row * columns + key.col]
                                    .item<double>()
                              : 1 / std::sqrt(double(c.headWidth));
          return product * factor + bias(inner, query, key);
        };
        naive.weight = [&](const testing::Place& query, const testing::Place& key, double w) {
          return w + bias(outer, query, key);
        };
        at::Tensor map = at::zeros({tokens, tokens}, at::kDouble);
        mixed.push_back(at::zeros({tokens, c.headWidth}, at::kDouble));
        naive.run(c.grid, c.window, c.shifted(), map, mixed.back());
        const at::Tensor got = tap.maps.at(0)[image][h].to(at::kDouble);
        EXPECT_LT((got - map).abs().max().item<double>(), kTolerance)
            << c.own.dump() << " " << c.masks[h];
      }
      const at::Tensor joined = at::cat(mixed, 1), last = parameter(*layer, "proj.weight");
      const at::Tensor expected =
          last.defined() ? at::linear(joined, last, parameter(*layer, "proj.bias")) : joined;
      EXPECT_LT((output[image] - expected).abs().max().item<double>(), kTolerance) << c.own.dump();
    }
  }
}

/// The rows that a query in the last column looks at, from a map [1, H, N, N].
std::vector<int> rowsSeen(const at::Tensor& map, int query, int cols) {
  std::vector<int> rows;
  const at::Tensor row = map[0][0][query];
  for (int r = 0; r < row.size(0) / cols; ++r)
    if (row.slice(0, r * cols, (r + 1) * cols).abs().max().item<double>() > 0) rows.push_back(r);
  return rows;
}

TEST(LightSelfLimited, OppositeEdgesNeverSeeEachOther) {
  const at::NoGradGuard noGrad;
  const auto mapOf = [](const Case& c) {
    CollectingHook tap;
    makeLayer(c, at::kFloat)->forward(at::randn({1, c.grid.patches(), c.width()}), &tap);
    return tap.maps.at(0);
  };
  const int last = 64 * 64 - 1;
  EXPECT_EQ(rowsSeen(mapOf(largeCase("before_shift")), last, 64),
            (std::vector<int>{59, 60, 61, 62, 63}));
  // As models of before do, and timm.
  EXPECT_EQ(rowsSeen(mapOf(largeCase("after_shift")), last, 64),
            (std::vector<int>{0, 1, 59, 60, 61, 62, 63}));
  for (const Grid& grid : {Grid{5, 9, 0}, Grid{6, 10, 0}})
    for (const int window : {3, 4, 7}) {
      const at::Tensor map = mapOf({grid, window, 1, 1, 4, {"none"}});
      for (int q = 0; q < grid.patches(); ++q)
        for (int k = 0; k < grid.patches(); ++k) {
          const int down = std::abs(q / grid.cols - k / grid.cols),
                    right = std::abs(q % grid.cols - k % grid.cols);
          if (std::max(down, right) < window) continue;
          EXPECT_EQ(map[0][0][q][k].item<float>(), 0) << window << ": " << q << " " << k;
        }
    }
}

/// Padding takes no weight: without the outer bias each row is a distribution.
TEST(LightSelfLimited, NothingLooksAtPadding) {
  const at::NoGradGuard noGrad;
  for (const int layerInStage : {0, 1}) {
    Case c{{5, 9, 0}, 4, layerInStage, 1, 4, {"none"}, {{"outer_bias", false}}};
    const auto sums = [&] {
      CollectingHook tap;
      makeLayer(c, at::kFloat)->forward(at::randn({1, 45, 4}), &tap);
      return tap.maps.at(0).sum(-1);
    };
    EXPECT_LT((sums() - 1).abs().max().item<float>(), 1e-5);
    c.own["padding"] = "after_shift";
    EXPECT_LT(sums().min().item<float>(), 0.999);
  }
}

TEST(LightSelfLimited, OnlyTheRuleOfBeforeHasANotice) {
  Case c{{6, 10, 0}, 4, 1, 1, 4, {"none"}};
  EXPECT_EQ(makeLayer(c, at::kFloat)->notice(), "");
  c.own["padding"] = "after_shift";
  EXPECT_NE(makeLayer(c, at::kFloat)->notice().find("opposite edges"), std::string::npos);
  c.layerInStage = 0;
  EXPECT_EQ(makeLayer(c, at::kFloat)->notice(), "");
  c.layerInStage = 1;
  c.grid = {8, 12, 0};
  EXPECT_EQ(makeLayer(c, at::kFloat)->notice(), "");
}

TEST(LightSelfLimited, GradientsAreFiniteDifferences) {
  for (const Case& c : cases()) {
    const auto layer = makeLayer(c, at::kDouble);
    const at::Tensor x = at::randn({2, c.grid.tokens(), c.width()}, at::kDouble).requires_grad_();
    testing::expectLayerGradients(*layer, x);
    for (const auto& item : layer->named_parameters())
      EXPECT_GT(item.value().grad().abs().max().item<double>(), 0) << item.key();
  }
}

TEST(LightSelfLimited, WithoutOuterBiasAndWithItsOwnKeysAndValuesItIsSwins) {
  const at::NoGradGuard noGrad;
  for (const int layerInStage : {0, 1}) {
    const Case c{{7, 8, 0},
                 4,
                 layerInStage,
                 2,
                 8,
                 {"hard:3", "none"},
                 {{"variant", "qkv"}, {"padding", "after_shift"}}};
    seedTorch(2);
    LightSelfLimitedAttention light(c.options());  // dynamic scale as it starts: 1/√d
    AttentionOptions options = c.options();
    options.options = {{"window", 4}};
    WindowAttention swin(options);
    auto from = swin.named_parameters(), to = light.named_parameters();
    from["relative_position_bias_table"].normal_(0, 1);
    const std::string names[] = {"q", "k", "v"};
    for (int i = 0; i < 3; ++i) {
      to[names[i] + ".weight"].copy_(from["qkv.weight"].slice(0, 16 * i, 16 * (i + 1)));
      to[names[i] + ".bias"].copy_(from["qkv.bias"].slice(0, 16 * i, 16 * (i + 1)));
    }
    to["proj.weight"].copy_(from["proj.weight"]);
    to["proj.bias"].copy_(from["proj.bias"]);
    to["inner_bias_table"].copy_(from["relative_position_bias_table"]);
    to["outer_bias_table"].zero_();
    light.setMasks(c.headMasks());
    swin.setMasks(c.headMasks());
    const at::Tensor x = at::randn({2, 56, 16});
    CollectingHook lightTap, swinTap;
    const at::Tensor a = light.forward(x, &lightTap), b = swin.forward(x, &swinTap);
    EXPECT_LT((a - b).abs().max().item<float>(), 2e-6);
    EXPECT_LT((lightTap.maps[0] - swinTap.maps[0]).abs().max().item<float>(), 1e-6);
    to["outer_bias_table"].fill_(0.1);
    EXPECT_GT((light.forward(x, nullptr) - b).abs().max().item<float>(), 1e-2);
  }
}

TEST(LightSelfLimited, KeysAndValuesAreTheTokensThemselves) {
  const at::NoGradGuard noGrad;
  Case c{{4, 4, 0}, 4, 0, 2, 4, {"none", "none"}};
  const auto light = makeLayer(c, at::kFloat);
  for (const auto& name : {"k.weight", "v.weight"})
    EXPECT_FALSE(light->named_parameters().contains(name));
  c.own = {{"variant", "qkv"}};
  const auto full = makeLayer(c, at::kFloat);
  auto from = light->named_parameters(), to = full->named_parameters();
  for (const auto& item : from)
    to[item.key()].copy_(item.value());
  for (const std::string name : {"k", "v"}) {
    to[name + ".weight"].copy_(at::eye(8));
    to[name + ".bias"].zero_();
  }
  const at::Tensor x = at::randn({1, 16, 8});
  EXPECT_LT((light->forward(x, nullptr) - full->forward(x, nullptr)).abs().max().item<float>(),
            1e-6);
}

TEST(LightSelfLimited, TheDynamicScaleStartsAsTheFixedOne) {
  const at::NoGradGuard noGrad;
  Case c{{6, 6, 0}, 3, 1, 3, 4, {"none", "none", "none"}};
  seedTorch(1);
  LightSelfLimitedAttention dynamic(c.options());
  c.own = {{"scale", "fixed"}};
  seedTorch(1);
  LightSelfLimitedAttention fixed(c.options());
  EXPECT_FALSE(fixed.named_parameters().contains("dynamic_scale"));
  const at::Tensor scale = dynamic.named_parameters()["dynamic_scale"];
  EXPECT_EQ(scale.sizes(), (std::vector<std::int64_t>{9, 9}));  // one for all heads
  EXPECT_TRUE(at::allclose(scale, at::full({9, 9}, 0.5)));
  const at::Tensor x = at::randn({1, 36, 12});
  EXPECT_LT((dynamic.forward(x, nullptr) - fixed.forward(x, nullptr)).abs().max().item<float>(),
            1e-6);
}

TEST(LightSelfLimited, TheMapIsSignedOnlyWithItsOuterBias) {
  const at::NoGradGuard noGrad;
  Case c{{4, 4, 0}, 2, 0, 1, 4, {"none"}};
  CollectingHook tap;
  const auto layer = makeLayer(c, at::kFloat);
  layer->named_parameters()["outer_bias_table"].fill_(-1);
  layer->forward(at::randn({1, 16, 4}), &tap);
  EXPECT_TRUE(layer->mapIsSigned());
  EXPECT_LT(tap.maps[0].max().item<float>(), 1e-6);  // at most 0, and 0 outside the window
  EXPECT_LT(tap.maps[0].min().item<float>(), -0.1);
  c.own = {{"outer_bias", false}};
  EXPECT_FALSE(makeLayer(c, at::kFloat)->mapIsSigned());
}

/// What DS, B_i or B_o says of two places of a window, straight from the parameter of its name.
double naiveImage(const Case& c, const LightSelfLimitedAttention& layer, const std::string& name,
                  int head, const testing::Place& query, const testing::Place& key) {
  const int columns = std::min(c.grid.cols, c.window);
  if (name == "dynamic_scale")
    return parameter(layer, name)[query.row * columns + query.col][key.row * columns + key.col]
        .item<double>();
  return testing::relativeEntry(parameter(layer, name + "_table"), head, c.grid, c.window, query,
                                key);
}

TEST(LightSelfLimited, ItsImagesAreWhatItsParametersSayOfEveryPairOfPatches) {
  for (const Case& c : cases()) {
    const auto layer = makeLayer(c, at::kFloat);
    const int columns = std::min(c.grid.cols, c.window);
    const auto places = testing::naivePlaces(c.grid, c.window, c.shifted(), c.padsFirst());
    for (const LearnedPairs& pairs : layer->learnedPairs()) {
      EXPECT_EQ(pairs.window, (Grid{std::min(c.grid.rows, c.window), columns, 0}));
      EXPECT_EQ(pairs.isSigned, pairs.name != "dynamic_scale");
      for (const auto& query : places) {
        if (query.patch < 0) continue;
        const int from = query.row * columns + query.col, token = c.grid.prefix + query.patch;
        EXPECT_EQ(pairs.places[token].item<int>(), from);
        for (const auto& key : places) {
          if (!query.sharesWindow(key)) continue;
          const int to = key.row * columns + key.col;
          EXPECT_EQ(pairs.seen[token][to].item<int>(),
                    query.sharesRegion(key) && key.patch >= 0 ? c.grid.prefix + key.patch : -1);
          for (int h = 0; h < pairs.values.size(0); ++h)
            EXPECT_FLOAT_EQ(pairs.values[h][from][to].item<float>(),
                            naiveImage(c, *layer, pairs.name, h, query, key))
                << pairs.name;
        }
      }
    }
  }
}

TEST(LightSelfLimited, ItOffersTheImagesThatItHas) {
  const auto offered = [](const Json& own) {
    Case c{{4, 4, 0}, 2, 0, 3, 4, {"none", "none", "none"}};
    c.own = own;
    std::vector<std::string> result;
    for (const LearnedPairs& pairs : makeLayer(c, at::kFloat)->learnedPairs())
      result.push_back(pairs.name + " of " + std::to_string(pairs.values.size(0)));
    return result;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(offered(Json::object()),
            (Names{"dynamic_scale of 1", "inner_bias of 3", "outer_bias of 3"}));
  EXPECT_EQ(offered({{"scale", "fixed"}}), (Names{"inner_bias of 3", "outer_bias of 3"}));
  EXPECT_EQ(offered({{"inner_bias", false}, {"outer_bias", false}}), Names{"dynamic_scale of 1"});
}

std::string refusedAt(const AttentionOptions& options) {
  try {
    LightSelfLimitedAttention layer(options);
  } catch (const Failure& failure) {
    return failure.error().where;
  }
  return "accepted";
}

TEST(LightSelfLimited, RefusesNonsense) {
  AttentionOptions options = cases()[0].options();
  EXPECT_EQ(refusedAt(options), "accepted");
  for (const auto& [key, value] : {std::pair<std::string, Json>{"variant", "kkk"},
                                   {"scale", 0.5},
                                   {"window", 0},
                                   {"inner_bias", "yes"},
                                   {"bias", true}}) {
    options.options = Json{{key, value}};
    EXPECT_EQ(refusedAt(options), "model.attention." + key);
  }
}

/// A class token belongs to no window: it brings no parameter, and beside its column, which takes
/// its share of each row, patches see what they saw.
TEST(LightSelfLimited, AClassTokenStandsInEveryWindow) {
  const at::NoGradGuard noGrad;
  const Case without{{4, 6, 0}, 2, 1, 2, 4, {"none", "hard:1"}, {{"outer_bias", false}}};
  Case with = without;
  with.grid.prefix = 1;
  const auto plain = makeLayer(without, at::kFloat), classed = makeLayer(with, at::kFloat);
  const auto mine = plain->named_parameters(), its = classed->named_parameters();
  ASSERT_EQ(mine.size(), its.size());
  for (const auto& item : mine)
    EXPECT_TRUE(at::equal(item.value(), its[item.key()])) << item.key();
  const at::Tensor x = at::randn({2, 25, 8});
  CollectingHook plainTap, tap;
  plain->forward(x.slice(1, 1), &plainTap);
  classed->forward(x, &tap);
  const at::Tensor map = tap.maps[0], patches = map.slice(2, 1).slice(3, 1);
  EXPECT_GT(map.select(3, 0).min().item<float>(), 0);  // seen from every window
  EXPECT_GT(map.select(2, 0).min().item<float>(), 0);  // and sees all of them
  EXPECT_LT((map.sum(-1) - 1).abs().max().item<float>(), 1e-6);
  const at::Tensor renormalized = patches / patches.sum(-1, /*keepdim=*/true);
  EXPECT_LT((renormalized - plainTap.maps[0]).abs().max().item<float>(), 1e-6);
  for (const LearnedPairs& pairs : classed->learnedPairs()) {
    EXPECT_EQ(pairs.places.size(0), 25);
    EXPECT_EQ(pairs.places[0].item<int>(), -1);
    EXPECT_EQ(pairs.seen[0].max().item<int>(), -1);
  }
  EXPECT_NE(classed->mapMeaning(), plain->mapMeaning());
}

}  // namespace headlight::light_self_limited_test
