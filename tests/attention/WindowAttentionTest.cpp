// SPDX-License-Identifier: GPL-3.0-or-later

// Attention within shifted windows against loops written from Swin's definition, and what windows
// promise.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/attention/softmax/WindowAttention.h"
#include "core/base/Result.h"
#include "core/models/backbones/Model.h"
#include "tests/attention/Gradients.h"
#include "tests/attention/NaiveWindows.h"

namespace headlight::window_attention_test {

struct Case {
  Grid grid;
  int window, layerInStage, heads, headWidth;
  std::vector<std::string> masks;

  int width() const { return heads * headWidth; }
  bool shifted() const { return layerInStage % 2 == 1; }
  AttentionOptions options() const {
    return {.layer = 0,
            .layerInStage = layerInStage,
            .width = width(),
            .heads = heads,
            .grid = grid,
            .options = {{"window", window}}};
  }
  std::vector<HeadMask> headMasks() const {
    std::vector<HeadMask> result;
    for (const auto& text : masks)
      result.push_back(*headMaskFromText(text));
    return result;
  }
};

std::vector<Case> cases() {
  return {{{4, 4, 0}, 2, 0, 1, 4, {"none"}},
          {{4, 6, 0}, 2, 1, 3, 8, {"none", "hard:1", "strict:1"}},
          {{8, 8, 0}, 4, 1, 4, 3, {"hard:3", "soft:3@0.3", "strict:3", "random:3#5"}},
          {{7, 5, 0}, 4, 0, 2, 5, {"none", "hard:3"}},        // padded
          {{7, 5, 0}, 4, 1, 2, 5, {"soft:3@0.7", "none"}},    // padded and shifted
          {{3, 9, 0}, 5, 1, 2, 4, {"random:3#2", "hard:3"}},  // one window of rows, shifted columns
          {{3, 4, 0}, 7, 1, 2, 4, {"hard:3", "none"}}};       // one window, smaller than asked
}

/// The tables are drawn wide, so that a mistake in them shows.
std::shared_ptr<WindowAttention> makeLayer(const Case& c, at::ScalarType type) {
  seedTorch(4);
  auto layer = std::make_shared<WindowAttention>(c.options());
  {
    const at::NoGradGuard noGrad;
    layer->named_parameters()["relative_position_bias_table"].normal_(0, 1);
  }
  layer->to(type);
  layer->setMasks(c.headMasks());
  return layer;
}

at::Tensor parameter(const torch::nn::Module& layer, const std::string& name) {
  return layer.named_parameters()[name].detach().to(at::kDouble);
}

/// [N + 1, d] of one image: the part of head `head` of `qkv` [N + 1, 3D].
at::Tensor part(const Case& c, const at::Tensor& qkv, int which, int head) {
  const int first = which * c.width() + head * c.headWidth;
  return qkv.slice(1, first, first + c.headWidth).contiguous();
}

TEST(WindowAttention, EqualsTheNaiveReference) {
  constexpr double kTolerance = 1e-5;  // float32 against double
  for (const Case& c : cases()) {
    const auto layer = makeLayer(c, at::kFloat);
    const int patches = c.grid.patches();
    const at::Tensor x = at::randn({2, patches, c.width()});
    CollectingHook tap;
    const at::NoGradGuard noGrad;
    const at::Tensor output = layer->forward(x, &tap).to(at::kDouble);
    ASSERT_EQ(tap.maps.at(0).sizes(), (std::vector<std::int64_t>{2, c.heads, patches, patches}));
    const at::Tensor table = parameter(*layer, "relative_position_bias_table");
    for (int image = 0; image < 2; ++image) {
      // Padding is zeros that pass the projection like any token.
      const at::Tensor padded = at::cat({x[image].to(at::kDouble), at::zeros({1, c.width()})});
      const at::Tensor qkv =
          at::linear(padded, parameter(*layer, "qkv.weight"), parameter(*layer, "qkv.bias"));
      std::vector<at::Tensor> mixed;
      for (int head = 0; head < c.heads; ++head) {
        testing::NaiveHead naive{part(c, qkv, 0, head), part(c, qkv, 1, head),
                                 part(c, qkv, 2, head), c.headMasks()[head]};
        if (naive.mask.kind == MaskKind::Random)
          naive.selected = layer->named_buffers()["random_mask"][head];
        naive.logit = [&](const testing::Place& query, const testing::Place& key, double product) {
          return product / std::sqrt(double(c.headWidth)) +
                 testing::relativeEntry(table, head, c.grid, c.window, query, key);
        };
        naive.weight = [](const testing::Place&, const testing::Place&, double w) { return w; };
        at::Tensor map = at::zeros({patches, patches}, at::kDouble);
        mixed.push_back(at::zeros({patches, c.headWidth}, at::kDouble));
        naive.run(c.grid, c.window, c.shifted(), map, mixed.back());
        const at::Tensor got = tap.maps.at(0)[image][head].to(at::kDouble);
        EXPECT_LT((got - map).abs().max().item<double>(), kTolerance)
            << c.grid.rows << "x" << c.grid.cols << " " << c.masks[head];
      }
      const at::Tensor expected = at::linear(at::cat(mixed, 1), parameter(*layer, "proj.weight"),
                                             parameter(*layer, "proj.bias"));
      EXPECT_LT((output[image] - expected).abs().max().item<double>(), kTolerance);
    }
  }
}

TEST(WindowAttention, GradientsAreFiniteDifferences) {
  for (const Case& c : cases()) {
    const auto layer = makeLayer(c, at::kDouble);
    const at::Tensor x = at::randn({2, c.grid.patches(), c.width()}, at::kDouble).requires_grad_();
    testing::expectLayerGradients(*layer, x);
    for (const auto& item : layer->named_parameters())
      EXPECT_GT(item.value().grad().abs().max().item<double>(), 0) << item.key();
  }
}

/// Swin V2's bias of one offset (Liu et al. 2022, Eq. 3 and 4), `trained`: the window that offsets
/// are shares of.
double offsetBias(const WindowAttention& layer, int head, int rows, int cols, int trained) {
  const auto logarithm = [&](int offset) {
    const double share = 8.0 * offset / std::max(1, trained - 1);
    return (share < 0 ? -1 : 1) * std::log2(std::abs(share) + 1) / 3;
  };
  const double r = logarithm(rows), c = logarithm(cols);
  const at::Tensor first = parameter(layer, "cpb_mlp.0.weight"),
                   shift = parameter(layer, "cpb_mlp.0.bias"),
                   second = parameter(layer, "cpb_mlp.2.weight");
  double sum = 0;
  for (int hidden = 0; hidden < shift.size(0); ++hidden) {
    const double value = first[hidden][0].item<double>() * r + first[hidden][1].item<double>() * c +
                         shift[hidden].item<double>();
    sum += second[head][hidden].item<double>() * std::max(0.0, value);
  }
  return 16 / (1 + std::exp(-sum));
}

at::Tensor ofLengthOne(const at::Tensor& rows) {
  return rows / (rows * rows).sum(-1, true).sqrt();
}

struct CosineCase {
  Case shape;
  std::vector<int> pretrained;
  int stage, trained;  ///< what `pretrained` says of this stage
};

std::shared_ptr<WindowAttention> makeCosineLayer(const CosineCase& c, at::ScalarType type) {
  AttentionOptions options = c.shape.options();
  options.stage = c.stage;
  options.options["cosine"] = true;
  options.options["pretrained_windows"] = c.pretrained;
  seedTorch(6);
  auto layer = std::make_shared<WindowAttention>(options);
  const at::NoGradGuard noGrad;
  auto parameters = layer->named_parameters();
  parameters["cpb_mlp.2.weight"].normal_(0, 0.3);
  parameters["logit_scale"].copy_(at::tensor({1.0, 5.0}).view({2, 1, 1}));  // the second is bounded
  layer->to(type);
  return layer;
}

std::vector<CosineCase> cosineCases() {
  return {{{{4, 6, 0}, 2, 1, 2, 4, {"none", "none"}}, {}, 0, 2},
          {{{7, 5, 0}, 4, 1, 2, 5, {"none", "none"}}, {0, 3}, 1, 3},  // padded and shifted
          {{{8, 8, 0}, 4, 0, 2, 3, {"none", "none"}}, {0, 3}, 0, 4},
          {{{3, 3, 0}, 7, 0, 2, 4, {"none", "none"}}, {12, 12, 12, 6}, 3, 6}};
}

TEST(WindowAttention, CosineEqualsTheNaiveReference) {
  constexpr double kTolerance = 1e-5;  // float32 against double
  for (const CosineCase& cosine : cosineCases()) {
    const Case& c = cosine.shape;
    const auto layer = makeCosineLayer(cosine, at::kFloat);
    const int patches = c.grid.patches();
    const at::Tensor x = at::randn({1, patches, c.width()});
    CollectingHook tap;
    const at::NoGradGuard noGrad;
    const at::Tensor output = layer->forward(x, &tap).to(at::kDouble);
    const at::Tensor padded = at::cat({x[0].to(at::kDouble), at::zeros({1, c.width()})});
    const at::Tensor qkv =
        at::linear(padded, parameter(*layer, "qkv.weight"), parameter(*layer, "qkv.bias"));
    std::vector<at::Tensor> mixed;
    for (int head = 0; head < c.heads; ++head) {
      testing::NaiveHead naive{ofLengthOne(part(c, qkv, 0, head)),
                               ofLengthOne(part(c, qkv, 1, head)), part(c, qkv, 2, head),
                               c.headMasks()[head]};
      const double scale =
          std::min(100.0, std::exp(parameter(*layer, "logit_scale")[head].item<double>()));
      naive.logit = [&](const testing::Place& query, const testing::Place& key, double product) {
        return product * scale +
               offsetBias(*layer, head, query.row - key.row, query.col - key.col, cosine.trained);
      };
      naive.weight = [](const testing::Place&, const testing::Place&, double w) { return w; };
      at::Tensor map = at::zeros({patches, patches}, at::kDouble);
      mixed.push_back(at::zeros({patches, c.headWidth}, at::kDouble));
      naive.run(c.grid, c.window, c.shifted(), map, mixed.back());
      EXPECT_LT((tap.maps.at(0)[0][head].to(at::kDouble) - map).abs().max().item<double>(),
                kTolerance)
          << c.grid.rows << "x" << c.grid.cols << " head " << head;
    }
    const at::Tensor expected = at::linear(at::cat(mixed, 1), parameter(*layer, "proj.weight"),
                                           parameter(*layer, "proj.bias"));
    EXPECT_LT((output[0] - expected).abs().max().item<double>(), kTolerance);
  }
}

TEST(WindowAttention, CosineGradientsAreFiniteDifferences) {
  for (const CosineCase& c : cosineCases()) {
    const auto layer = makeCosineLayer(c, at::kDouble);
    const at::Tensor x =
        at::randn({1, c.shape.grid.patches(), c.shape.width()}, at::kDouble).requires_grad_();
    testing::expectLayerGradients(*layer, x);
  }
}

TEST(WindowAttention, NothingPassesBetweenWindowsOrRegions) {
  const at::NoGradGuard noGrad;
  for (const int layerInStage : {0, 1}) {
    const Case c{{8, 8, 0}, 4, layerInStage, 2, 4, {"hard:3", "none"}};
    const auto layer = makeLayer(c, at::kFloat);
    const at::Tensor x = at::randn({1, 64, 8});
    const at::Tensor before = layer->forward(x, nullptr);
    at::Tensor other = x.clone();
    other[0][0] += 3;  // the patch in the upper left corner
    const at::Tensor moved = (layer->forward(other, nullptr) - before)[0].abs().amax(-1);
    for (int row = 0; row < 8; ++row)
      for (int col = 0; col < 8; ++col) {
        // Unshifted its window is 4 × 4; shifted by 2 what remains of it is 2 × 2.
        const int reach = layerInStage == 0 ? 4 : 2;
        const double change = moved[row * 8 + col].item<double>();
        if (row < reach && col < reach)
          EXPECT_GT(change, 0) << row << "," << col;
        else
          EXPECT_EQ(change, 0) << row << "," << col;
      }
  }
}

TEST(WindowAttention, AWindowOverTheWholeGridIsNeverShiftedAndSeesEverything) {
  const at::NoGradGuard noGrad;
  const at::Tensor x = at::randn({1, 12, 8});
  const Case even{{3, 4, 0}, 7, 0, 2, 4, {"none", "none"}}, odd{{3, 4, 0}, 4, 1, 2, 4, even.masks};
  CollectingHook tap;
  const at::Tensor a = makeLayer(even, at::kFloat)->forward(x, &tap);
  EXPECT_TRUE(at::equal(a, makeLayer(odd, at::kFloat)->forward(x, nullptr)));
  EXPECT_GT(tap.maps.at(0).min().item<float>(), 0);
  EXPECT_EQ(windowShape(even.grid, 7, true).offsets(), 5 * 7);
}

TEST(WindowAttention, ShiftCanBeTurnedOff) {
  const at::NoGradGuard noGrad;
  Case c{{4, 4, 0}, 2, 1, 2, 4, {"none", "none"}};
  AttentionOptions still = c.options();
  still.options["shift"] = false;
  seedTorch(1);
  WindowAttention unshifted(still);
  c.layerInStage = 0;
  seedTorch(1);
  WindowAttention first(c.options());
  const at::Tensor x = at::randn({1, 16, 8});
  EXPECT_TRUE(at::equal(unshifted.forward(x, nullptr), first.forward(x, nullptr)));
}

TEST(WindowAttention, RowsSumToOneWithoutPaddingAndLessWithIt) {
  const at::NoGradGuard noGrad;
  const auto rowSums = [](const Case& c) {
    CollectingHook tap;
    makeLayer(c, at::kFloat)->forward(at::randn({1, c.grid.patches(), c.width()}), &tap);
    return tap.maps.at(0).sum(-1);
  };
  EXPECT_LT((rowSums({{8, 4, 0}, 4, 1, 1, 4, {"none"}}) - 1).abs().max().item<float>(), 1e-5);
  EXPECT_LT(rowSums({{7, 4, 0}, 4, 0, 1, 4, {"none"}}).min().item<float>(), 0.999);
}

TEST(WindowAttention, SaysWhereOppositeEdgesCanMeet) {
  const auto noticeOf = [](const Grid& grid, int layerInStage) {
    return makeLayer({grid, 4, layerInStage, 1, 4, {"none"}}, at::kFloat)->notice();
  };
  EXPECT_NE(noticeOf({7, 8, 0}, 1).find("as in timm"), std::string::npos);
  EXPECT_EQ(noticeOf({7, 8, 0}, 0), "");
  EXPECT_EQ(noticeOf({8, 8, 0}, 1), "");
}

std::string refusedAt(const AttentionOptions& options) {
  try {
    WindowAttention layer(options);
  } catch (const Failure& failure) {
    return failure.error().where;
  }
  return "accepted";
}

TEST(WindowAttention, RefusesNonsense) {
  AttentionOptions options = cases()[0].options();
  EXPECT_EQ(refusedAt(options), "accepted");
  options.grid.prefix = 1;
  EXPECT_EQ(refusedAt(options), "model.class_token");
  options.grid.prefix = 0;
  options.options = {{"window", 0}};
  EXPECT_EQ(refusedAt(options), "model.attention.window");
  options.options = {{"windows", 7}};
  EXPECT_EQ(refusedAt(options), "model.attention.windows");
  options.options = {{"window", 2}, {"cosine", true}, {"pretrained_windows", {2}}};
  EXPECT_EQ(refusedAt(options), "accepted");
  options.stage = 1;
  EXPECT_EQ(refusedAt(options), "model.attention.pretrained_windows");
}

}  // namespace headlight::window_attention_test
