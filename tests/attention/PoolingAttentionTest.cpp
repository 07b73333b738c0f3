// SPDX-License-Identifier: GPL-3.0-or-later

// Pooling attention against loops written from MViTv2's Eq. 1 to 6.

#include "core/masks/Neighborhood.h"
#include "tests/attention/Gradients.h"
#include "tests/attention/NaivePooling.h"

namespace headlight::pooling_attention_test {

using namespace testing::pooling;

/// Which entry of a table two cells of one axis take: from the farthest to the left on.
int entry(int query, int key, int queries, int keys) {
  return static_cast<int>(query * std::max(double(keys) / queries, 1.0) +
                          (keys - 1 - key) * std::max(double(queries) / keys, 1.0));
}

/// A = softmax(mask(QKᵀ/√d + E)) of one image: [H, Tq, Tk].
at::Tensor naiveWeights(const Case& c, PoolingAttention& layer, const Weights& p,
                        const at::Tensor& queries, const at::Tensor& keys) {
  const Grid qg = c.options().queryGrid(), kg = c.options().keyGrid();
  const auto q = queries.accessor<double, 3>(), k = keys.accessor<double, 3>();
  const at::Tensor rowTable = p["rel_pos_h"].contiguous(), colTable = p["rel_pos_w"].contiguous();
  const auto rows = rowTable.accessor<double, 2>(), cols = colTable.accessor<double, 2>();
  at::Tensor result = at::zeros({c.heads, qg.patches(), kg.patches()}, at::kDouble);
  auto weights = result.accessor<double, 3>();
  const auto masks = c.headMasks();
  for (int h = 0; h < c.heads; ++h) {
    auto ones = neighborhoodMask(qg, kg, masks[h].window);
    if (masks[h].kind == MaskKind::Random) {
      const at::Tensor drawn = layer.named_buffers()["random_mask"][h].to(at::kByte).contiguous();
      ones.assign(drawn.data_ptr<std::uint8_t>(), drawn.data_ptr<std::uint8_t>() + drawn.numel());
    }
    for (int i = 0; i < qg.patches(); ++i) {
      double sum = 0;
      for (int j = 0; j < kg.patches(); ++j) {
        const int r = entry(i / qg.cols, j / kg.cols, qg.rows, kg.rows),
                  col = entry(i % qg.cols, j % kg.cols, qg.cols, kg.cols);
        double s = 0;
        for (int f = 0; f < c.headWidth; ++f)
          s += q[h][i][f] *
               (k[h][j][f] / std::sqrt(double(c.headWidth)) + rows[r][f] + cols[col][f]);
        const bool inside = masks[h].kind == MaskKind::None || ones[i * kg.patches() + j];
        if (!inside)
          s = masks[h].kind == MaskKind::Soft     ? masks[h].alpha * s
              : masks[h].kind == MaskKind::Strict ? -INFINITY
                                                  : 0.0;
        sum += weights[h][i][j] = std::exp(s);
      }
      for (int j = 0; j < kg.patches(); ++j)
        weights[h][i][j] /= sum;
    }
  }
  return result;
}

/// Weights over keys on the query grid, by cutting the image into cells that both grids divide.
at::Tensor naiveOverQueries(const Case& c, const at::Tensor& weights) {
  const Grid qg = c.options().queryGrid(), kg = c.options().keyGrid();
  at::Tensor result = at::zeros({c.heads, qg.patches(), qg.patches()}, at::kDouble);
  const auto in = weights.accessor<double, 3>();
  auto out = result.accessor<double, 3>();
  const int rows = qg.rows * kg.rows, cols = qg.cols * kg.cols;
  for (int h = 0; h < c.heads; ++h)
    for (int i = 0; i < qg.patches(); ++i)
      for (int r = 0; r < rows; ++r)
        for (int col = 0; col < cols; ++col)
          out[h][i][r / kg.rows * qg.cols + col / kg.cols] +=
              in[h][i][r / qg.rows * kg.cols + col / qg.cols] / (qg.patches() * 1.0);
  return result;
}

TEST(PoolingAttention, EqualsTheNaiveReference) {
  for (const Case& c : cases()) {
    const auto layer = makeLayer<PoolingAttention>(c.options(), at::kFloat);
    layer->setMasks(c.headMasks());
    const Weights p = doubled(*layer);
    const at::Tensor x = at::randn({2, c.grid.patches(), c.inputWidth});
    CollectingHook tap;
    const at::NoGradGuard noGrad;
    const at::Tensor output = layer->forward(x, &tap);
    const std::int64_t tokens = c.options().queryGrid().patches();
    ASSERT_EQ(output.sizes(), (std::vector<std::int64_t>{2, tokens, c.heads * c.headWidth}));
    for (int image = 0; image < 2; ++image) {
      const at::Tensor wide = x[image].to(at::kDouble);
      const at::Tensor q = naivePooled(c, p, wide, 0, c.queryStride),
                       k = naivePooled(c, p, wide, 1, c.keyStride),
                       v = naivePooled(c, p, wide, 2, c.keyStride);
      const at::Tensor weights = naiveWeights(c, *layer, p, q, k);
      at::Tensor mixed = at::matmul(weights, v);
      if (c.residual) mixed = mixed + q;
      EXPECT_LT(gap(output[image], at::linear(sideBySide(mixed), p["proj.weight"], p["proj.bias"])),
                kTolerance);
      EXPECT_LT(gap(tap.maps.at(1)[image], naiveOverQueries(c, weights)), kTolerance);
    }
    EXPECT_LT((tap.maps.at(1).sum(-1) - 1).abs().max().item<float>(), 1e-5);
  }
}

TEST(PoolingAttention, GradientsAreFiniteDifferences) {
  for (const Case& c : cases()) {
    const auto layer = makeLayer<PoolingAttention>(c.options(), at::kDouble);
    layer->setMasks(c.headMasks());
    const at::Tensor x =
        at::randn({2, c.grid.patches(), c.inputWidth}, at::kDouble).requires_grad_();
    testing::expectLayerGradients(*layer, x);
  }
}

TEST(PoolingAttention, EachKeysWeightIsSpreadOverThePatchesThatItCovers) {
  const Case c{{4, 4, 0}, 1, 4, 4, 1, 2, {"strict:1"}};
  const auto layer = makeLayer<PoolingAttention>(c.options(), at::kFloat);
  layer->setMasks(c.headMasks());
  CollectingHook tap;
  const at::NoGradGuard noGrad;
  layer->forward(at::randn({1, 16, 4}), &tap);
  // Each patch sees the key that it lies in alone: a quarter for each of that key's four patches.
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      const bool together = i / 8 == j / 8 && i % 4 / 2 == j % 4 / 2;
      EXPECT_NEAR(tap.maps.at(1)[0][0][i][j].item<float>(), together ? 0.25 : 0.0, 1e-6);
    }
}

TEST(PoolingAttention, CountsAreWhatIsBuilt) {
  for (const Case& c : cases())
    for (const std::string mechanism : {"softmax", "linear_angular"}) {
      CostCounter counter;
      countPoolingAttention(counter, mechanism, c.options());
      std::int64_t parameters = 0;
      for (const auto& tensor : makePoolingAttention(mechanism, c.options())->parameters())
        parameters += tensor.numel();
      EXPECT_EQ(counter.cost().parameters, parameters) << mechanism;
    }
}

}  // namespace headlight::pooling_attention_test
