// SPDX-License-Identifier: GPL-3.0-or-later

// The MLP with a depthwise convolution (Castling-ViT, §4.4) against loops, and as an option of vit.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/base/Result.h"
#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"
#include "core/models/layers/ConvolvedMlp.h"
#include "tests/attention/Gradients.h"
#include "tests/models/Shrunk.h"

namespace headlight {
namespace {

constexpr int kWidth = 3, kHidden = 5;

struct Case {
  Grid grid;
  int side;
};

/// Sides of one, of the usual three, and beyond a grid that is narrower than they are.
std::vector<Case> cases() {
  return {{{2, 3, 0}, 1}, {{4, 3, 1}, 3}, {{3, 5, 2}, 5}, {{2, 2, 0}, 7}};
}

ConvolvedMlp makeDouble(const Case& c) {
  seedTorch(4);
  ConvolvedMlp mlp(kWidth, kHidden, {.side = c.side}, c.grid);
  mlp.to(at::kDouble);
  return mlp;
}

/// [T, F], of one image: taps outside the grid do not exist, prefix tokens pass.
at::Tensor naiveConvolution(const Case& c, const at::Tensor& hidden, const at::Tensor& filter) {
  at::Tensor result = hidden.clone();
  const int reach = c.side / 2;
  for (int r = 0; r < c.grid.rows; ++r)
    for (int col = 0; col < c.grid.cols; ++col)
      for (int f = 0; f < kHidden; ++f) {
        double sum = 0;
        for (int i = -reach; i <= reach; ++i)
          for (int j = -reach; j <= reach; ++j) {
            const int y = r + i, x = col + j;
            if (y < 0 || x < 0 || y >= c.grid.rows || x >= c.grid.cols) continue;
            sum += filter[f][0][i + reach][j + reach].item<double>() *
                   hidden[c.grid.prefix + y * c.grid.cols + x][f].item<double>();
          }
        result[c.grid.prefix + r * c.grid.cols + col][f].fill_(sum);
      }
  return result;
}

/// z·Φ(z).
double naiveGelu(double z) {
  return z * 0.5 * (1 + std::erf(z / std::sqrt(2.0)));
}

TEST(ConvolvedMlp, EqualsTheNaiveReference) {
  const at::NoGradGuard noGrad;
  for (const Case& c : cases()) {
    ConvolvedMlp mlp = makeDouble(c);
    const auto p = mlp.named_parameters();
    EXPECT_EQ(p["dconv.weight"].sizes(), (std::vector<std::int64_t>{kHidden, 1, c.side, c.side}));
    const at::Tensor x = at::randn({2, c.grid.tokens(), kWidth}, at::kDouble);
    const at::Tensor output = mlp.forward(x);
    for (int image = 0; image < 2; ++image) {
      const at::Tensor first = x[image].matmul(p["fc1.weight"].t()) + p["fc1.bias"];
      at::Tensor hidden = naiveConvolution(c, first, p["dconv.weight"]);
      for (int t = 0; t < c.grid.tokens(); ++t)
        for (int f = 0; f < kHidden; ++f)
          hidden[t][f].fill_(naiveGelu(hidden[t][f].item<double>()));
      const at::Tensor expected = hidden.matmul(p["fc2.weight"].t()) + p["fc2.bias"];
      EXPECT_LT((output[image] - expected).abs().max().item<double>(), 1e-12) << c.side;
    }
    const at::Tensor single = [&] {
      mlp.to(at::kFloat);
      return mlp.forward(x.to(at::kFloat));
    }();
    EXPECT_LT((single - output).abs().max().item<double>(), 1e-5);
  }
}

TEST(ConvolvedMlp, GradientsAreFiniteDifferences) {
  for (const Case& c : cases()) {
    ConvolvedMlp mlp = makeDouble(c);
    const at::Tensor x = at::randn({2, c.grid.tokens(), kWidth}, at::kDouble).requires_grad_();
    const at::Tensor weights = at::randn({2, c.grid.tokens(), kWidth}, at::kDouble);
    testing::expectFiniteDifferences(mlp, x, [&] { return (mlp.forward(x) * weights).sum(); });
  }
}

ModelConfig smallCastling(int side) {
  ModelConfig config = shrunk(findPublishedModel("castling_deit_tiny")->config);
  config.layout["mlp_convolution"] = side;
  return checkedAndCompleted(config);
}

TEST(ConvolvedMlp, IsAnOptionOfVitThatIsOffByDefault) {
  const ModelConfig plain =
      checkedAndCompleted(shrunk(findPublishedModel("castling_deit_tiny")->config));
  EXPECT_EQ(plain.layout["mlp_convolution"], 0);
  const auto without = makeModel(plain, 1), with = makeModel(smallCastling(3), 1);
  std::set<std::string> names, added;
  for (const auto& [name, tensor] : without->trainable())
    names.insert(name);
  for (const auto& [name, tensor] : with->trainable())
    if (!names.contains(name)) added.insert(name);
  EXPECT_EQ(added, (std::set<std::string>{"blocks.0.mlp.dconv.weight", "blocks.1.mlp.dconv.weight",
                                          "blocks.2.mlp.dconv.weight"}));
  EXPECT_FALSE(sameArchitecture(plain, smallCastling(3)));
}

TEST(ConvolvedMlp, IsCounted) {
  const ModelConfig config = smallCastling(5), plain = smallCastling(0);
  const ModelCost cost = modelCost(config), before = modelCost(plain);
  const std::int64_t hidden = static_cast<std::int64_t>(config.width * config.mlpRatio),
                     weights = 3 * hidden * 25;  // of three blocks
  EXPECT_EQ(cost.parameters - before.parameters, weights);
  EXPECT_EQ(cost.macs - before.macs, weights * config.grid().patches());
  std::int64_t parameters = 0;
  for (const auto& [name, tensor] : makeModel(config, 0)->trainable())
    parameters += tensor.numel();
  EXPECT_EQ(cost.parameters, parameters);
}

TEST(ConvolvedMlp, RunsForwardAndBackwardOnEveryParameter) {
  const auto model = makeModel(smallCastling(3), 1);
  const int size = model->config().imageSize;
  model->forward(at::randn({2, 3, size, size})).pow(2).sum().backward();
  for (const auto& [name, tensor] : model->trainable()) {
    ASSERT_TRUE(tensor.grad().defined()) << name;
    EXPECT_TRUE(tensor.grad().isfinite().all().item<bool>()) << name;
  }
}

TEST(ConvolvedMlp, RefusesAnEvenSide) {
  try {
    smallCastling(4);
    modelCost(smallCastling(4));
    ADD_FAILURE() << "accepted";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().where, "model.layout.mlp_convolution");
    EXPECT_NE(failure.error().message.find("odd"), std::string::npos);
  }
}

}  // namespace
}  // namespace headlight
