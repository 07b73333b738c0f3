// SPDX-License-Identifier: GPL-3.0-or-later

// LeViT against timm's golden vectors, its attentions against naive double-precision loops, its
// batch norms in checkpoints, and Castling-LeViT.

#include "core/models/backbones/LeViT.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/base/files/Files.h"
#include "core/masks/Neighborhood.h"
#include "core/models/Registry.h"
#include "core/models/backbones/Castling.h"
#include "tests/attention/Gradients.h"
#include "tests/models/Golden.h"
#include "tests/models/Refusals.h"
#include "tests/models/Shrunk.h"
#include "tests/models/StirNorms.h"

namespace headlight {
namespace {

double gap(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

ModelConfig levitMicro(const std::string& mechanism = "softmax", bool distilled = false) {
  ModelConfig config = findPublishedModel("levit_micro")->config;
  config.mechanism = mechanism;
  config.distilled = distilled;
  return config;
}

TEST(LeViT, GivesTimmsLogits) {
  const auto model = makeModel(levitMicro(), 0);
  giveGoldenWeights(*model, goldenFile("levit_micro.safetensors"));
  const auto io = goldenTensors("levit_micro.io.safetensors");
  const at::NoGradGuard noGrad;
  EXPECT_LT(gap(model->forward(io.at("input")), io.at("logits")), 1e-4);
  CollectingHook tap;
  EXPECT_LT(gap(model->forward(io.at("input"), &tap), io.at("logits")), 1e-4);
  ASSERT_EQ(tap.maps.size(), 3u);
  EXPECT_EQ(tap.maps[1].sizes(), (std::vector<std::int64_t>{2, 3, 4, 4}));
  EXPECT_LT(gap(tap.maps[0].sum(-1), at::ones({2, 2, 16})), 1e-5);
}

TEST(LeViT, CountsAreTimms) {
  const std::map<std::string, std::int64_t> counts{{"levit_128s", 7777058},
                                                   {"levit_128", 9213936},
                                                   {"levit_192", 10947069},
                                                   {"levit_256", 18893876},
                                                   {"levit_384", 39128836}};
  for (const auto& [name, parameters] : counts)
    EXPECT_EQ(modelCost(findPublishedModel(name)->config).parameters, parameters) << name;
}

TEST(LeViT, TheMeanOfTwoHeadsWhereDistilled) {
  const auto model = makeModel(levitMicro("softmax", true), 4);
  stirNorms(*model);
  model->eval();
  const at::NoGradGuard noGrad;
  const at::Tensor images = at::randn({2, 3, 64, 64});
  const auto [logits, distilled] = model->forwardBoth(images);
  EXPECT_GT(gap(logits, distilled), 1e-3);
  EXPECT_LT(gap(model->forward(images), (logits + distilled) / 2), 1e-6);
  EXPECT_EQ(model->config().grid().prefix, 0);  // two heads, no token
}

TEST(LeViT, NormsTravelWithTheStateAndFollowTheMode) {
  const auto model = makeModel(levitMicro(), 4);
  const at::Tensor images = at::randn({4, 3, 64, 64});
  const auto valueOf = [&](const Model& m, const std::string& name) {
    for (const auto& [known, tensor] : m.state())
      if (known == name) return tensor.clone();
    ADD_FAILURE() << name;
    return at::Tensor();
  };
  const std::string norm = "stages.1.downsample.attn_downsample.kv.bn.";
  const at::Tensor start = valueOf(*model, norm + "running_mean");
  model->eval();
  model->forward(images);
  EXPECT_TRUE(at::equal(valueOf(*model, norm + "running_mean"), start));
  model->train();
  const at::Tensor training = model->forward(images).detach();
  EXPECT_FALSE(at::equal(valueOf(*model, norm + "running_mean"), start));
  EXPECT_EQ(valueOf(*model, norm + "num_batches_tracked").scalar_type(), at::kLong);
  EXPECT_EQ(valueOf(*model, norm + "num_batches_tracked").item<std::int64_t>(), 1);
  model->eval();
  const at::Tensor evaluated = model->forward(images).detach();
  EXPECT_GT(gap(training, evaluated), 1e-4);

  const auto path = std::filesystem::path(::testing::TempDir()) / "levit_state.safetensors";
  ASSERT_TRUE(writeSafetensors(path, model->state()).ok());
  const auto other = makeModel(levitMicro(), 5);
  const auto plan = valueOrThrow(planLoad(other->state(), valueOrThrow(readCheckpoint(path)), {}));
  EXPECT_TRUE(plan.report.missing.empty());
  EXPECT_TRUE(plan.report.unexpected.empty());
  ASSERT_TRUE(applyLoad(other->state(), plan).ok());
  other->eval();
  EXPECT_TRUE(at::equal(other->forward(images), evaluated));
  EXPECT_EQ(valueOf(*other, norm + "num_batches_tracked").item<std::int64_t>(), 1);
  std::filesystem::remove(path);
}

TEST(LeViT, ABatchOfOneImageCanBeTrainedOn) {
  const auto model = makeModel(levitMicro("softmax", true), 4);  // its last stage has one patch
  model->train();
  const at::Tensor logits = model->forward(at::randn({1, 3, 64, 64}));
  EXPECT_TRUE(logits.isfinite().all().item<bool>());
  logits.sum().backward();
  for (const auto& [name, tensor] : model->state())
    EXPECT_TRUE(tensor.isfinite().all().item<bool>()) << name;
}

/// `name`'s map, then its batch norm in evaluation, in double. tokens [T, in] → [T, out].
at::Tensor naiveLinearNorm(const torch::nn::Module& module, const std::string& name,
                           const at::Tensor& tokens) {
  const auto p = module.named_parameters();
  const auto b = module.named_buffers();
  const auto get = [](const at::Tensor& t) { return t.detach().to(at::kDouble); };
  const at::Tensor mapped = at::matmul(tokens, get(p[name + ".linear.weight"]).t());
  const at::Tensor scale =
      get(p[name + ".bn.weight"]) / (get(b[name + ".bn.running_var"]) + 1e-5).sqrt();
  return (mapped - get(b[name + ".bn.running_mean"])) * scale + get(p[name + ".bn.bias"]);
}

double hardSwishOf(double x) {
  return x * std::clamp(x + 3, 0.0, 6.0) / 6;
}

/// A 3 × 3 convolution of stride 2, each feature by itself, and a batch norm in evaluation, of one
/// head [T, d].
at::Tensor naivePooled(const torch::nn::Module& module, const std::string& name,
                       const at::Tensor& all, const Grid& grid) {
  const int rows = (grid.rows + 1) / 2, cols = (grid.cols + 1) / 2;
  const auto p = module.named_parameters();
  const auto b = module.named_buffers();
  at::Tensor result = at::zeros({rows * cols, all.size(1)}, at::kDouble);
  for (int i = 0; i < rows * cols; ++i) {
    const int r = i / cols * 2, c = i % cols * 2;
    for (int f = 0; f < all.size(1); ++f) {
      double sum = 0;
      for (int a = -1; a <= 1; ++a)
        for (int s = -1; s <= 1; ++s)
          if (r + a >= 0 && r + a < grid.rows && c + s >= 0 && c + s < grid.cols)
            sum += p[name + ".linear.weight"][f][0][a + 1][s + 1].item<double>() *
                   all[(r + a) * grid.cols + c + s][f].item<double>();
      const double deviation = std::sqrt(b[name + ".bn.running_var"][f].item<double>() + 1e-5);
      result[i][f] = (sum - b[name + ".bn.running_mean"][f].item<double>()) / deviation *
                         p[name + ".bn.weight"][f].item<double>() +
                     p[name + ".bn.bias"][f].item<double>();
    }
  }
  return result;
}

/// softmax(rule(q·k/√d + bias by distance))·v of one head, by loops. `inside` tells of a pair.
/// Queries and keys stand on every `stride`-th and `keyStride`-th row and column.
template <typename Rule>
at::Tensor naiveHead(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                     const at::Tensor& biases, const Grid& grid, int stride, const Rule& rule,
                     int keyStride = 1) {
  const int rows = (grid.rows + stride - 1) / stride, cols = (grid.cols + stride - 1) / stride;
  const int keyCols = (grid.cols + keyStride - 1) / keyStride;
  at::Tensor result = at::zeros({rows * cols, v.size(1)}, at::kDouble);
  for (int i = 0; i < rows * cols; ++i) {
    std::vector<double> weights;
    double sum = 0;
    for (int j = 0; j < k.size(0); ++j) {
      const int down = std::abs(i / cols * stride - j / keyCols * keyStride);
      const int across = std::abs(i % cols * stride - j % keyCols * keyStride);
      const double logit = (q[i] * k[j]).sum().item<double>() / std::sqrt(double(q.size(1))) +
                           biases[down * grid.cols + across].item<double>();
      weights.push_back(std::exp(rule(i, j, logit)));
      sum += weights.back();
    }
    for (int j = 0; j < k.size(0); ++j)
      result[i] += weights[j] / sum * v[j];
  }
  return result;
}

/// Columns of head `h` of `heads`, each of `widths` in turn; the `which`-th of those.
at::Tensor headColumns(const at::Tensor& tokens, int h, const std::vector<int>& widths, int which) {
  int start = 0, all = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (static_cast<int>(i) < which) start += widths[i];
    all += widths[i];
  }
  return tokens.slice(1, h * all + start, h * all + start + widths[which]);
}

at::Tensor naiveProjection(const torch::nn::Module& module, const std::vector<at::Tensor>& heads) {
  at::Tensor joined = at::cat(heads, 1).contiguous();
  double* values = joined.data_ptr<double>();
  std::transform(values, values + joined.numel(), values, hardSwishOf);
  return naiveLinearNorm(module, "proj.ln", joined);
}

TEST(LeViT, SoftmaxAttentionEqualsTheNaiveReference) {
  constexpr double kTolerance = 1e-5;
  const at::NoGradGuard noGrad;
  for (const Grid& grid : {Grid{4, 4, 0}, Grid{3, 5, 0}})
    for (const auto& kinds : {std::vector<std::string>{"none", "none"},
                              std::vector<std::string>{"hard:3", "soft:3@0.3"},
                              std::vector<std::string>{"strict:3", "none"}}) {
      seedTorch(5);
      LevitSoftmaxAttention layer(
          {.attention = {.width = 16, .heads = 2, .grid = grid}, .keyWidth = 4, .valueWidth = 6});
      layer.eval();
      stirNorms(layer);
      std::vector<HeadMask> masks;
      for (const auto& kind : kinds)
        masks.push_back(*headMaskFromText(kind));
      layer.setMasks(masks);
      const at::Tensor x = at::randn({1, grid.patches(), 16});
      const at::Tensor qkv = naiveLinearNorm(layer, "qkv", x[0].to(at::kDouble));
      std::vector<at::Tensor> heads;
      for (int h = 0; h < 2; ++h) {
        const auto ones = neighborhoodMask(grid, masks[h].window);
        heads.push_back(naiveHead(
            headColumns(qkv, h, {4, 4, 6}, 0), headColumns(qkv, h, {4, 4, 6}, 1),
            headColumns(qkv, h, {4, 4, 6}, 2), layer.named_parameters()["attention_biases"][h],
            grid, 1, [&](int i, int j, double logit) {
              if (masks[h].kind == MaskKind::None || ones[i * grid.patches() + j]) return logit;
              if (masks[h].kind == MaskKind::Strict) return -HUGE_VAL;
              return masks[h].kind == MaskKind::Soft ? masks[h].alpha * logit : 0.0;
            }));
      }
      EXPECT_LT(gap(layer.forward(x, nullptr)[0], naiveProjection(layer, heads)), kTolerance)
          << kinds[0];
    }
}

/// Rows 1 and 4 of Castling-ViT's Table 1: keys and values on every second row and column.
TEST(LeViT, PooledTokensEqualTheNaiveReference) {
  const at::NoGradGuard noGrad;
  for (const Grid& grid : {Grid{4, 4, 0}, Grid{3, 5, 0}, Grid{1, 2, 0}}) {
    seedTorch(5);
    LevitSoftmaxAttention layer({.attention = {.width = 16, .heads = 2, .grid = grid},
                                 .keyWidth = 4,
                                 .valueWidth = 6,
                                 .tokenPooling = true});
    layer.eval();
    stirNorms(layer);
    const std::vector<HeadMask> masks{*headMaskFromText("hard:1"), *headMaskFromText("soft:3@0.3")};
    layer.setMasks(masks);
    const at::Tensor x = at::randn({1, grid.patches(), 16});
    const at::Tensor qkv = naiveLinearNorm(layer, "qkv", x[0].to(at::kDouble));
    const Grid keys = grid.strided(2);
    std::vector<at::Tensor> heads;
    for (int h = 0; h < 2; ++h) {
      const auto ones = neighborhoodMask(grid, keys, masks[h].window);
      heads.push_back(naiveHead(
          headColumns(qkv, h, {4, 4, 6}, 0),
          naivePooled(layer, "pool.k", headColumns(qkv, h, {4, 4, 6}, 1), grid),
          naivePooled(layer, "pool.v", headColumns(qkv, h, {4, 4, 6}, 2), grid),
          layer.named_parameters()["attention_biases"][h], grid, 1,
          [&](int i, int j, double logit) {
            return ones[i * keys.patches() + j] ? logit : h == 0 ? 0.0 : masks[h].alpha * logit;
          },
          2));
    }
    CollectingHook tap;
    EXPECT_LT(gap(layer.forward(x, &tap)[0], naiveProjection(layer, heads)), 1e-5) << grid.rows;
    const at::Tensor& map = tap.maps.at(0);
    EXPECT_EQ(map.sizes(), (std::vector<std::int64_t>{1, 2, grid.patches(), grid.patches()}));
    EXPECT_LT(gap(map.sum(-1), at::ones_like(map.select(3, 0))), 1e-5);
  }
}

/// The paper's FLOPs in millions, row by row; how tokens are pooled is decided by them.
TEST(LeViT, TheSweepOfCastlingsTable1HasItsRowsAndNearlyTheirCost) {
  const std::string path = HEADLIGHT_SOURCE_DIR "/models/presets/sweeps/castling-table1.json";
  const Json sweep = Json::parse(valueOrThrow(readFile(path, 1 << 20)));
  const std::vector<double> published{685, 661, 736, 771, 763, 838};
  ASSERT_EQ(sweep["variants"].size(), published.size());
  for (std::size_t row = 0; row < published.size(); ++row) {
    const Json& variant = sweep["variants"][row];
    const Json model{{"name", sweep["base"]["model"]["name"]},
                     {"layout", variant["overrides"]["model.layout"]}};
    const ModelConfig config =
        checkedAndCompleted(valueOrThrow(modelFromJson(model, modelCatalog())));
    EXPECT_NEAR(modelCost(config).macs / 1e6, published[row], 0.05 * published[row])
        << variant["name"];
    const Json& layout = config.layout;
    const bool feature = layout["key_widths"][0] == 32;
    EXPECT_EQ(layout["token_pooling"].get<bool>(), row % 3 == 0) << row;
    EXPECT_EQ(feature, row % 3 == 1) << row;
    EXPECT_EQ(layout["query_pooling"], row < 3 ? "before" : "after") << row;
  }
}

TEST(LeViT, DownsamplingAttentionEqualsTheNaiveReference) {
  constexpr double kTolerance = 1e-5;
  const at::NoGradGuard noGrad;
  for (const Grid& grid : {Grid{4, 4, 0}, Grid{5, 3, 0}})
    for (const auto& [castling, pooled] :
         {std::pair(false, false), {true, false}, {false, true}, {true, true}}) {
      seedTorch(5);
      const int valueWidth = castling ? 4 : 6;
      LevitDownsampleAttention layer({.width = 16,
                                      .outWidth = 24,
                                      .heads = 3,
                                      .keyWidth = 4,
                                      .valueWidth = valueWidth,
                                      .grid = grid,
                                      .poolAfter = castling,
                                      .queryResidual = castling,
                                      .tokenPooling = pooled});
      layer.eval();
      stirNorms(layer);
      const at::Tensor x = at::randn({1, grid.patches(), 16});
      const at::Tensor wide = x[0].to(at::kDouble);
      const at::Tensor kv = naiveLinearNorm(layer, "kv", wide);
      const at::Tensor projected = naiveLinearNorm(layer, "q.ln", wide);
      const int rows = (grid.rows + 1) / 2, cols = (grid.cols + 1) / 2;
      std::vector<at::Tensor> heads;
      for (int h = 0; h < 3; ++h) {
        const at::Tensor all = projected.slice(1, 4 * h, 4 * h + 4);
        at::Tensor q = at::zeros({rows * cols, 4}, at::kDouble);
        for (int i = 0; i < rows * cols; ++i)
          q[i] += all[i / cols * 2 * grid.cols + i % cols * 2];
        if (castling) q = naivePooled(layer, "q.pool", all, grid);
        at::Tensor k = headColumns(kv, h, {4, valueWidth}, 0),
                   v = headColumns(kv, h, {4, valueWidth}, 1);
        if (pooled) {
          k = naivePooled(layer, "pool.k", k, grid);
          v = naivePooled(layer, "pool.v", v, grid);
        }
        at::Tensor head = naiveHead(
            q, k, v, layer.named_parameters()["attention_biases"][h], grid, 2,
            [](int, int, double logit) { return logit; }, pooled ? 2 : 1);
        heads.push_back(castling ? head + q : head);
      }
      EXPECT_LT(gap(layer.forward(x)[0], naiveProjection(layer, heads)), kTolerance) << castling;
    }
}

TEST(LeViT, LinearAttentionEqualsTheNaiveReference) {
  const Grid grid{3, 5, 0};
  seedTorch(6);
  LevitLinearAttention layer(
      {.attention = {.width = 16, .heads = 2, .grid = grid, .options = {{"without_branch", true}}},
       .keyWidth = 4,
       .valueWidth = 6});
  layer.eval();
  stirNorms(layer);
  const at::NoGradGuard noGrad;
  const at::Tensor x = at::randn({1, 15, 16});
  const at::Tensor qkv = naiveLinearNorm(layer, "qkv", x[0].to(at::kDouble));
  const at::Tensor taps = layer.named_parameters()["dconv.weight"].to(at::kDouble);
  std::vector<at::Tensor> heads;
  for (int h = 0; h < 2; ++h) {
    const at::Tensor q = headColumns(qkv, h, {4, 4, 6}, 0), k = headColumns(qkv, h, {4, 4, 6}, 1),
                     v = headColumns(qkv, h, {4, 4, 6}, 2);
    at::Tensor y = at::zeros({15, 6}, at::kDouble);
    for (int i = 0; i < 15; ++i) {
      for (int j = 0; j < 15; ++j)
        y[i] += ((i == j ? 0.5 : 0.0) + (q[i] * k[j]).sum().item<double>() /
                                            (q[i].norm() * k[j].norm()).item<double>() / M_PI) *
                v[j];
      y[i] /= y[i].norm().item<double>();
      for (int o = -4; o <= 4; ++o)
        if (i + o >= 0 && i + o < 15) y[i] += taps[h][0][o + 4][0] * v[i + o];
    }
    heads.push_back(y);
  }
  EXPECT_LT(gap(layer.forward(x, nullptr)[0], naiveProjection(layer, heads)), 1e-5);
}

TEST(LeViT, GradientsOfItsAttentionsAreFiniteDifferences) {
  const Grid grid{3, 4, 0};
  const AttentionOptions options{.width = 8, .heads = 2, .grid = grid};
  const auto check = [](auto layer, const std::function<at::Tensor(const at::Tensor&)>& forward) {
    layer->to(at::kDouble);
    stirNorms(*layer);
    for (const bool training : {false, true}) {
      layer->train(training);
      layer->zero_grad();
      const at::Tensor x = at::randn({2, 12, 8}, at::kDouble).requires_grad_();
      const at::Tensor weights = at::randn_like(forward(x).detach());
      testing::expectFiniteDifferences(*layer, x, [&] { return (forward(x) * weights).sum(); });
    }
  };
  seedTorch(9);
  const auto softmax =
      std::make_shared<LevitSoftmaxAttention>(LevitAttentionOptions{options, 3, 5});
  softmax->setMasks({*headMaskFromText("soft:3@0.4"), *headMaskFromText("hard:3")});
  check(softmax, [&](const at::Tensor& x) { return softmax->forward(x, nullptr); });
  const auto pooled = std::make_shared<LevitSoftmaxAttention>(
      LevitAttentionOptions{options, 3, 5, /*tokenPooling=*/true});
  check(pooled, [&](const at::Tensor& x) { return pooled->forward(x, nullptr); });
  const auto linear = std::make_shared<LevitLinearAttention>(LevitAttentionOptions{options, 3, 5});
  check(linear, [&](const at::Tensor& x) { return linear->forward(x, nullptr); });
  for (const bool castling : {false, true}) {
    const auto downsample = std::make_shared<LevitDownsampleAttention>(
        LevitDownsampleOptions{.width = 8,
                               .outWidth = 6,
                               .heads = 2,
                               .keyWidth = 3,
                               .valueWidth = castling ? 3 : 5,
                               .grid = grid,
                               .poolAfter = castling,
                               .queryResidual = castling,
                               .tokenPooling = castling});
    check(downsample, [&](const at::Tensor& x) { return downsample->forward(x); });
  }
}

TEST(LeViT, PooledTokensAreCountedAndEveryParameterLearns) {
  ModelConfig config = levitMicro();
  config.layout["token_pooling"] = true;
  const auto model = makeModel(config, 2);
  std::int64_t parameters = 0;
  stirNorms(*model);
  model->forward(at::randn({3, 3, 64, 64})).pow(2).sum().backward();
  for (const auto& [name, tensor] : model->trainable()) {
    parameters += tensor.numel();
    ASSERT_TRUE(tensor.grad().defined()) << name;
    EXPECT_TRUE(tensor.grad().isfinite().all().item<bool>()) << name;
  }
  EXPECT_EQ(modelCost(config).parameters, parameters);
  EXPECT_GT(parameters, modelCost(levitMicro()).parameters);
}

TEST(LeViT, PartsEqualTheWholeAndInputsAreLeftAlone) {
  for (const std::string mechanism : {"softmax", "linear_angular"}) {
    const auto model = makeModel(levitMicro(mechanism), 4);
    stirNorms(*model);
    model->eval();
    const at::NoGradGuard noGrad;
    const at::Tensor images = at::randn({2, 3, 64, 64});
    std::vector<at::Tensor> tokens{model->embed(images)}, kept{tokens[0].clone()};
    for (int l = 0; l < model->layers(); ++l) {
      tokens.push_back(model->block(l, tokens.back(), nullptr));
      kept.push_back(tokens.back().clone());
    }
    EXPECT_TRUE(at::equal(model->classify(tokens.back()), model->forward(images)));
    for (std::size_t i = 0; i < tokens.size(); ++i)
      EXPECT_TRUE(at::equal(tokens[i], kept[i])) << i;
    EXPECT_EQ(model->grid(1), (Grid{2, 2, 0}));
  }
}

TEST(LeViT, RefusesNonsense) {
  const auto pathOf = [](const std::function<void(ModelConfig&)>& change) {
    ModelConfig config = levitMicro();
    change(config);
    return refusedAt(config);
  };
  const auto layout = [&](const std::string& key, const Json& value) {
    return pathOf([&](ModelConfig& config) { config.layout[key] = value; });
  };
  EXPECT_EQ(pathOf([](ModelConfig& c) { c.classToken = true; }), "model.class_token");
  EXPECT_EQ(pathOf([](ModelConfig& c) { c.positions = "learned"; }), "model.positions");
  EXPECT_EQ(pathOf([](ModelConfig& c) { c.patchSize = 8; }), "model.patch_size");
  EXPECT_EQ(pathOf([](ModelConfig& c) { c.layerScale = 0.1; }), "model.layer_scale");
  EXPECT_EQ(pathOf([](ModelConfig& c) { c.mechanism = "aft_simple"; }), "model.mechanism");
  EXPECT_EQ(pathOf([](ModelConfig& c) { c.stageWidths = {36, 48, 64}; }), "model.stage_widths");
  EXPECT_EQ(layout("key_widths", {8, 8}), "model.layout.key_widths");
  EXPECT_EQ(layout("key_widths", Json::array()), "model.layout.key_widths");
  EXPECT_EQ(layout("key_widths", {0}), "model.layout.key_widths");
  EXPECT_EQ(layout("downsample_heads", {1, 2, 3}), "model.layout.downsample_heads");
  EXPECT_EQ(layout("query_residual", true), "model.layout.query_residual");
  EXPECT_EQ(layout("query_pooling", "during"), "model.layout.query_pooling");
  EXPECT_EQ(layout("key_width", 8), "model.layout.key_width");
  EXPECT_EQ(layout("token_pooling", 2), "model.layout.token_pooling");
  EXPECT_EQ(pathOf([](ModelConfig& c) {
              c.mechanism = "linear_angular";
              c.layout["token_pooling"] = true;
            }),
            "model.layout.token_pooling");
  EXPECT_EQ(pathOf([](ModelConfig& c) { c.classDepth = 2; }), "model.class_depth");
  EXPECT_EQ(pathOf([](ModelConfig& c) { c.qkvBias = false; }), "model.qkv_bias");
  EXPECT_EQ(pathOf([](ModelConfig& c) { c.normEpsilon = 1e-5; }), "model.norm_epsilon");
  for (const char* mechanism : {"softmax", "linear_angular"})  // 128 × 128 patches
    EXPECT_EQ(pathOf([&](ModelConfig& c) { c.mechanism = mechanism, c.imageSize = 2048; }),
              "model.image_size");
  EXPECT_EQ(pathOf([](ModelConfig&) {}), "taken");
}

TEST(Castling, GoesForEveryLayerThatHasABranch) {
  for (const char* name : {"castling_deit_tiny", "castling_levit_128"}) {
    const ModelConfig config = shrunk(findPublishedModel(name)->config);
    const auto model = makeModel(config, 3);
    EXPECT_EQ(branchLayers(*model), model->layers());
    EXPECT_EQ(setBranchDropped(*model, true), model->layers());
    EXPECT_FALSE(configWithoutBranch(config, false).attention["without_branch"].get<bool>());
  }
  EXPECT_THROW(configWithoutBranch(levitMicro(), true), Failure);
  const auto plain = makeModel(levitMicro(), 0);
  EXPECT_EQ(setBranchDropped(*plain, true), 0);
  EXPECT_EQ(branchLayers(*plain), 0);
}

}  // namespace
}  // namespace headlight
