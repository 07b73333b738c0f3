// SPDX-License-Identifier: GPL-3.0-or-later

// Linear-angular attention in MViTv2's place of the softmax, against loops written from
// Castling-ViT's Eq. 9.

#include "tests/attention/Gradients.h"
#include "tests/attention/NaivePooling.h"

namespace headlight::pooling_linear_angular_test {

using namespace testing::pooling;

PoolingOptions castlingOptions(const Case& c, const Json& attention) {
  PoolingOptions options = c.options();
  options.attention.options = attention;
  return options;
}

TEST(PoolingLinearAngular, EqualsTheNaiveReference) {
  for (const Case& c : cases()) {
    const auto options =
        castlingOptions(c, {{"auxiliary", false}, {"residual", "tokens"}, {"residual_kernel", 3}});
    const auto layer = makeLayer<PoolingLinearAngular>(options, at::kFloat);
    const Weights p = doubled(*layer);
    const at::Tensor x = at::randn({1, c.grid.patches(), c.inputWidth});
    CollectingHook tap;
    const at::NoGradGuard noGrad;
    const at::Tensor output = layer->forward(x, &tap);
    const at::Tensor wide = x[0].to(at::kDouble);
    const at::Tensor queries = naivePooled(c, p, wide, 0, c.queryStride),
                     keys = naivePooled(c, p, wide, 1, c.queryStride),
                     values = naivePooled(c, p, wide, 2, c.queryStride);
    const auto q = queries.accessor<double, 3>(), k = keys.accessor<double, 3>(),
               v = values.accessor<double, 3>();
    const int tokens = static_cast<int>(queries.size(1));
    at::Tensor map = at::zeros({c.heads, tokens, tokens}, at::kDouble);
    at::Tensor result = at::zeros_like(queries);
    for (int h = 0; h < c.heads; ++h)
      for (int i = 0; i < tokens; ++i) {
        std::vector<double> y(c.headWidth, 0.0);
        for (int j = 0; j < tokens; ++j) {
          double dot = 0, qq = 0, kk = 0;
          for (int f = 0; f < c.headWidth; ++f) {
            dot += q[h][i][f] * k[h][j][f];
            qq += q[h][i][f] * q[h][i][f];
            kk += k[h][j][f] * k[h][j][f];
          }
          const double weight = dot / std::sqrt(qq * kk) / M_PI + (i == j ? 0.5 : 0.0);
          map[h][i][j] = weight;
          for (int f = 0; f < c.headWidth; ++f)
            y[f] += weight * v[h][j][f];
        }
        double norm = 0;
        for (const double value : y)
          norm += value * value;
        for (int f = 0; f < c.headWidth; ++f) {
          double sum = y[f] / std::sqrt(norm) + (c.residual ? q[h][i][f] : 0.0);
          for (int tap3 = -1; tap3 <= 1; ++tap3)
            if (i + tap3 >= 0 && i + tap3 < tokens)
              sum += p["dconv.weight"][h][0][tap3 + 1][0].item<double>() * v[h][i + tap3][f];
          result[h][i][f] = sum;
        }
      }
    EXPECT_LT(gap(tap.maps.at(1)[0], map), kTolerance);
    EXPECT_LT(gap(output[0], at::linear(sideBySide(result), p["proj.weight"], p["proj.bias"])),
              kTolerance);
  }
}

TEST(PoolingLinearAngular, GradientsAreFiniteDifferencesAndTheAuxiliaryBranchCastles) {
  const Case c = cases()[2];
  // A threshold under every weight: nothing is cut, so that the loss is smooth.
  const auto options = castlingOptions(c, {{"epsilon", 1e-9}});
  const auto layer = makeLayer<PoolingLinearAngular>(options, at::kDouble);
  const at::Tensor x = at::randn({2, c.grid.patches(), c.inputWidth}, at::kDouble).requires_grad_();
  testing::expectLayerGradients(*layer, x);
  const at::NoGradGuard noGrad;
  layer->eval();
  const at::Tensor with = layer->forward(x, nullptr);
  layer->auxiliary().setBranchDropped(true);
  EXPECT_GT((layer->forward(x, nullptr) - with).abs().max().item<double>(), 1e-3);
}

TEST(PoolingLinearAngular, RefusesMasksAndNonsense) {
  const Case c = cases()[1];
  const auto layer =
      makeLayer<PoolingLinearAngular>(castlingOptions(c, Json::object()), at::kFloat);
  EXPECT_TRUE(layer->mapIsSigned());
  EXPECT_THROW(layer->setMasks({{}, *headMaskFromText("hard:3")}), Failure);
  try {
    makePoolingAttention("linear_angular", castlingOptions(c, {{"residual_kernel", 4}}));
    FAIL() << "an even kernel was taken";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().where, "model.attention.residual_kernel");
  }
}

}  // namespace headlight::pooling_linear_angular_test
