// SPDX-License-Identifier: GPL-3.0-or-later

// Lambda layers against loops in double precision: every pair's weight by content and position, and
// batch norms from their definition.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/attention/Mechanisms.h"
#include "core/attention/linear/LambdaLayer.h"
#include "core/base/Result.h"
#include "core/models/Registry.h"
#include "tests/attention/Gradients.h"
#include "tests/attention/NaiveLayers.h"

namespace headlight::lambda_layer_test {

using testing::Numbers;

constexpr double kLambdaTolerance = 5e-5;  // float32 against double
constexpr double kBatchNormEpsilon = 1e-5;

struct LambdaCase {
  Grid grid;
  int heads, headWidth, keys, context;
  std::string norm;

  int width() const { return heads * headWidth; }
};

/// By a convolution: contexts of 3 on grids of more than 9 patches; the others over all pairs.
std::vector<LambdaCase> lambdaCases() {
  return {{{3, 3, 1}, 1, 4, 5, 0, "none"},
          {{4, 5, 0}, 3, 2, 3, 3, "none"},
          {{2, 3, 2}, 2, 3, 4, 23, "queries_values"},
          {{4, 4, 1}, 2, 2, 2, 3, "queries_keys"},
          {{5, 3, 0}, 1, 3, 4, 0, "queries_keys"},
          {{3, 6, 1}, 2, 2, 3, 5, "queries_values"}};
}

std::shared_ptr<Attention> lambdaLayer(const LambdaCase& c, at::ScalarType type) {
  at::manual_seed(11);
  auto layer = makeAttention(
      "lambda", {.layer = 1,
                 .width = c.width(),
                 .heads = c.heads,
                 .grid = c.grid,
                 .options = {{"keys", c.keys}, {"context", c.context}, {"norm", c.norm}}});
  testing::stir(*layer);
  layer->to(type);
  return layer;
}

/// Columns of rows [n, width] by the mean and biased variance of the batch, weight and bias; as it
/// is where the layer has no such norm.
Numbers naiveNorm(const Attention& layer, const std::string& name, Numbers rows,
                  std::size_t width) {
  const auto parameters = layer.named_parameters();
  if (!parameters.contains(name + ".weight")) return rows;
  const Numbers weight = testing::numbersOf(parameters[name + ".weight"]),
                bias = testing::numbersOf(parameters[name + ".bias"]);
  const std::size_t count = rows.size() / width;
  for (std::size_t f = 0; f < width; ++f) {
    double mean = 0, variance = 0;
    for (std::size_t n = 0; n < count; ++n)
      mean += rows[n * width + f] / double(count);
    for (std::size_t n = 0; n < count; ++n)
      variance += std::pow(rows[n * width + f] - mean, 2) / double(count);
    for (std::size_t n = 0; n < count; ++n)
      rows[n * width + f] =
          (rows[n * width + f] - mean) / std::sqrt(variance + kBatchNormEpsilon) * weight[f] +
          bias[f];
  }
  return rows;
}

struct NaiveLambda {
  Numbers output;  ///< [B, T, D]
  Numbers map;     ///< [B, H, T, T]
};

/// e_{m−n}, feature f; 0 of prefix tokens and beyond the context.
double naiveEmbedding(const LambdaCase& c, const at::Tensor& table, int n, int m, std::int64_t f) {
  const int a = n - c.grid.prefix, b = m - c.grid.prefix;
  if (a < 0 || b < 0) return 0;
  const std::int64_t row = b / c.grid.cols - a / c.grid.cols + table.size(1) / 2,
                     col = b % c.grid.cols - a % c.grid.cols + table.size(2) / 2;
  if (row < 0 || col < 0 || row >= table.size(1) || col >= table.size(2)) return 0;
  return table[f][row][col].item<double>();
}

NaiveLambda naiveLambda(const LambdaCase& c, const Attention& layer, const at::Tensor& x) {
  const auto tokens = static_cast<std::size_t>(c.grid.tokens()), width = std::size_t(c.width()),
             each = static_cast<std::size_t>(c.headWidth), heads = std::size_t(c.heads),
             keys = static_cast<std::size_t>(c.keys);
  const auto batch = static_cast<std::size_t>(x.size(0));
  const Numbers rows = testing::numbersOf(x);
  const Numbers q = naiveNorm(layer, "norm_query",
                              testing::naiveLinear(layer, "query", rows, width), heads * keys),
                k = naiveNorm(layer, "norm_key", testing::naiveLinear(layer, "key", rows, width),
                              keys),
                v = naiveNorm(layer, "norm_value",
                              testing::naiveLinear(layer, "value", rows, width), each);
  const auto parameters = layer.named_parameters();
  const at::Tensor table = parameters["position_embedding"].detach();
  NaiveLambda result{Numbers(batch * tokens * width), Numbers(batch * heads * tokens * tokens)};
  for (std::size_t b = 0; b < batch; ++b)
    for (std::size_t n = 0; n < tokens; ++n)
      for (std::size_t m = 0; m < tokens; ++m)
        for (std::size_t f = 0; f < keys; ++f) {
          double sum = 0;
          for (std::size_t s = 0; s < tokens; ++s)
            sum += std::exp(k[(b * tokens + s) * keys + f]);
          const double content = std::exp(k[(b * tokens + m) * keys + f]) / sum,
                       placed = naiveEmbedding(c, table, int(n), int(m), std::int64_t(f));
          for (std::size_t h = 0; h < heads; ++h) {
            const double weight =
                q[(b * tokens + n) * heads * keys + h * keys + f] * (content + placed);
            result.map[((b * heads + h) * tokens + n) * tokens + m] += weight;
            for (std::size_t g = 0; g < each; ++g)
              result.output[(b * tokens + n) * width + h * each + g] +=
                  weight * v[(b * tokens + m) * each + g];
          }
        }
  result.output = testing::naiveLinear(layer, "proj", result.output, width);
  return result;
}

TEST(LambdaLayer, EqualsTheNaiveReference) {
  for (const LambdaCase& c : lambdaCases()) {
    SCOPED_TRACE(c.norm + " " + std::to_string(c.context));
    const auto layer = lambdaLayer(c, at::kFloat);
    const at::NoGradGuard noGrad;
    const at::Tensor x = at::randn({2, c.grid.tokens(), c.width()});
    CollectingHook tap;
    const at::Tensor y = layer->forward(x, &tap);  // in training: norms are of the batch
    const NaiveLambda expected = naiveLambda(c, *layer, x);
    EXPECT_LT(testing::gapOf(y, expected.output),
              kLambdaTolerance * (1 + y.abs().max().item<double>()));
    EXPECT_LT(testing::gapOf(tap.maps.at(1), expected.map), kLambdaTolerance);
  }
}

TEST(LambdaLayer, GradientsAreFiniteDifferences) {
  for (const LambdaCase& c : lambdaCases()) {
    SCOPED_TRACE(c.norm + " " + std::to_string(c.context));
    const auto layer = lambdaLayer(c, at::kDouble);
    const at::Tensor x = at::randn({2, c.grid.tokens(), c.width()}, at::kDouble).requires_grad_();
    testing::expectLayerGradients(*layer, x);
  }
}

TEST(LambdaLayer, AConvolutionAndAllPairsGiveTheSameLambdas) {
  at::manual_seed(5);
  for (const Grid& grid : {Grid{4, 6, 0}, Grid{7, 3, 0}, Grid{1, 9, 0}}) {
    const at::Tensor values = at::randn({2, grid.patches(), 3}, at::kDouble);
    for (const std::int64_t side : {1, 3, 7, 21}) {
      const at::Tensor embeddings = at::randn({2, side, side}, at::kDouble);
      const at::Tensor pairs = pairEmbeddings(embeddings, grid),  // [N, N, k]
          expected = at::einsum("nmk,bmv->bnkv", {pairs, values});
      EXPECT_LT((positionLambdas(embeddings, values, grid) - expected).abs().max().item<double>(),
                1e-12)
          << side;
    }
  }
}

TEST(LambdaLayer, AContextOfItsOwnTakesAnyImageSize) {
  const auto local = lambdaLayer({{4, 4, 1}, 2, 2, 3, 3, "none"}, at::kFloat);
  local->setGrid({2, 7, 1});
  EXPECT_EQ(local->forward(at::randn({1, 15, 4}), nullptr).size(1), 15);
  const auto whole = lambdaLayer({{4, 4, 1}, 2, 2, 3, 0, "none"}, at::kFloat);
  EXPECT_THROW(whole->setGrid({2, 7, 1}), Failure);
  whole->setGrid({4, 4, 1});
  EXPECT_THROW(local->setKept(at::zeros({1, 2}, at::kLong)), Failure);
}

TEST(LambdaLayer, AnEvenContextIsRefused) {
  try {
    makeAttention("lambda", {.width = 4, .heads = 2, .options = {{"context", 4}}});
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().where, "model.attention.context");
  }
}

/// AFT, Table 7.
TEST(LambdaLayer, PublishedSizesByHand) {
  const auto sizeOf = [](std::int64_t width, std::int64_t heads) {
    // Patches, positions, head, last norm; 12 blocks: norms, MLP, query, key, value, their norms, 27
    // × 27 embeddings of 16, proj.
    const std::int64_t block = 4 * width + 8 * width * width + 5 * width +
                               width * (16 * heads + 16 + width / heads) + 2 * 16 * (heads + 1) +
                               16 * 27 * 27 + width * width + width;
    return 769 * width + 196 * width + 1000 * (width + 1) + 2 * width + 12 * block;
  };
  const ModelCost tiny = modelCost(findPublishedModel("lambda_tiny")->config),
                  small = modelCost(findPublishedModel("lambda_small")->config);
  EXPECT_EQ(tiny.parameters, sizeOf(192, 3));
  EXPECT_EQ(small.parameters, sizeOf(384, 6));
  EXPECT_NEAR(double(tiny.parameters) / 1e6, 4.8, 0.05);
  EXPECT_NEAR(double(small.parameters) / 1e6, 17.7, 0.05);
}

TEST(LambdaLayer, CountsWhatItComputes) {
  const auto macsOf = [](int side, int context) {
    CostCounter counter;
    findMechanism("lambda").count(counter, {.width = 12,
                                            .heads = 3,
                                            .grid = {side, side, 1},
                                            .options = {{"keys", 5}, {"context", context}}});
    return counter.cost().macs;
  };
  // T = 17, N = 16, e = 4; all pairs for the whole image, 9 of each patch for a context of 3.
  const std::int64_t maps = 17 * 12 * (15 + 5 + 4 + 12), content = 17 * 5 * 4,
                     queries = (17 + 16) * 5 * 12;
  EXPECT_EQ(macsOf(4, 0), maps + content + queries + 16 * 16 * 5 * 4);
  EXPECT_EQ(macsOf(4, 3), maps + content + queries + 16 * 9 * 5 * 4);
}

}  // namespace headlight::lambda_layer_test
