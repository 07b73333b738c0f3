// SPDX-License-Identifier: GPL-3.0-or-later

// Class attention against loops written from CaiT's Eq. 3 to 6.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/attention/softmax/ClassAttention.h"
#include "core/models/backbones/Model.h"
#include "tests/attention/Gradients.h"

namespace headlight::class_attention_test {

struct Case {
  Grid grid;
  int heads, headWidth;
};

std::vector<Case> cases() {
  return {{{3, 3, 1}, 1, 4}, {{4, 6, 1}, 3, 8}, {{5, 2, 1}, 2, 5}};
}

std::shared_ptr<ClassAttention> makeLayer(const Case& c, at::ScalarType type) {
  seedTorch(6);
  auto layer = std::make_shared<ClassAttention>(AttentionOptions{
      .layer = 2, .width = c.heads * c.headWidth, .heads = c.heads, .grid = c.grid});
  layer->to(type);
  return layer;
}

TEST(ClassAttention, EqualsTheNaiveReferenceAndItsMapSaysThatPatchesPass) {
  constexpr double kTolerance = 1e-5;  // float32 against double
  for (const Case& c : cases()) {
    const auto layer = makeLayer(c, at::kFloat);
    const int tokens = c.grid.tokens(), width = c.heads * c.headWidth;
    const at::Tensor x = at::randn({2, tokens, width}) * 2;
    CollectingHook tap;
    const at::NoGradGuard noGrad;
    const at::Tensor output = layer->forward(x, &tap).to(at::kDouble);
    ASSERT_EQ(output.sizes(), (std::vector<std::int64_t>{2, 1, width}));
    const at::Tensor map = tap.maps.at(2).to(at::kDouble);
    ASSERT_EQ(map.sizes(), (std::vector<std::int64_t>{2, c.heads, tokens, tokens}));
    const auto p = layer->named_parameters();
    const auto project = [&](const at::Tensor& in, const std::string& name) {
      return at::linear(in.to(at::kDouble), p[name + ".weight"].to(at::kDouble),
                        p[name + ".bias"].to(at::kDouble))
          .contiguous();
    };
    for (int image = 0; image < 2; ++image) {
      const at::Tensor query = project(x[image], "q"), key = project(x[image], "k"),
                       value = project(x[image], "v");
      const auto q = query.accessor<double, 2>(), k = key.accessor<double, 2>(),
                 v = value.accessor<double, 2>();
      at::Tensor mixed = at::zeros({1, width}, at::kDouble);
      auto out = mixed.accessor<double, 2>();
      for (int h = 0; h < c.heads; ++h) {
        const int begin = h * c.headWidth, end = begin + c.headWidth;
        std::vector<double> weights(tokens);
        double sum = 0;
        for (int j = 0; j < tokens; ++j) {
          double dot = 0;
          for (int f = begin; f < end; ++f)
            dot += q[0][f] * k[j][f];
          sum += weights[j] = std::exp(dot / std::sqrt(double(c.headWidth)));
        }
        for (int j = 0; j < tokens; ++j) {
          EXPECT_NEAR(map[image][h][0][j].item<double>(), weights[j] / sum, kTolerance);
          for (int f = begin; f < end; ++f)
            out[0][f] += weights[j] / sum * v[j][f];
        }
        EXPECT_TRUE(at::equal(map[image][h].slice(0, 1), at::eye(tokens, at::kDouble).slice(0, 1)));
      }
      EXPECT_LT((output[image] - project(mixed, "proj")).abs().max().item<double>(), kTolerance);
    }
  }
}

TEST(ClassAttention, GradientsAreFiniteDifferences) {
  for (const Case& c : cases()) {
    const auto layer = makeLayer(c, at::kDouble);
    const std::int64_t width = c.heads * c.headWidth;
    const at::Tensor x = at::randn({2, c.grid.tokens(), width}, at::kDouble).requires_grad_();
    testing::expectLayerGradients(*layer, x);
  }
}

TEST(ClassAttention, IsNeverMasked) {
  const auto layer = makeLayer(cases()[1], at::kFloat);
  EXPECT_NO_THROW(layer->setMasks(std::vector<HeadMask>(3)));
  EXPECT_THROW(layer->setMasks({{}, *headMaskFromText("hard:3"), {}}), Failure);
  EXPECT_NE(layer->mapMeaning().find("identity"), std::string::npos);
}

}  // namespace headlight::class_attention_test
