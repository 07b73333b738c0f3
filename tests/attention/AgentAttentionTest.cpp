// SPDX-License-Identifier: GPL-3.0-or-later

// Agent attention against loops: pools, biases resized and summed, two softmaxes (Han et al. 2024).

#include "core/attention/linear/AgentAttention.h"

#include <algorithm>
#include <map>

#include "tests/attention/LaterLayers.h"

namespace headlight::agent_attention_test {

using namespace testing;

constexpr double kTolerance = 2e-5;  // float32 against double

/// The mean of the patches' rows in one bin: bin `a` of `rows`, `b` of `cols`.
Row naiveAgent(const Rows& q, const Grid& grid, int a, int rows, int b, int cols) {
  Row sum(q[0].size());
  int count = 0;
  for (int r = a * grid.rows / rows; r < ((a + 1) * grid.rows + rows - 1) / rows; ++r)
    for (int s = b * grid.cols / cols; s < ((b + 1) * grid.cols + cols - 1) / cols; ++s) {
      ++count;
      for (std::size_t f = 0; f < sum.size(); ++f)
        sum[f] += q[grid.prefix + r * grid.cols + s][f];
    }
  for (double& value : sum)
    value /= count;
  return sum;
}

Rows naiveAgents(const Rows& q, const Grid& grid, int side) {
  const int rows = std::min(side, grid.rows), cols = std::min(side, grid.cols);
  Rows agents;
  for (int a = 0; a < rows; ++a)
    for (int b = 0; b < cols; ++b)
      agents.push_back(naiveAgent(q, grid, a, rows, b, cols));
  return agents;
}

struct Between {
  int low, high;
  double share;  ///< of the high one
};

/// Where place `at` of `size` lies among 7 entries, half-pixel centers.
Between betweenEntries(int at, int size) {
  const double place = std::max(0.0, (at + 0.5) * 7 / size - 0.5);
  const int low = std::min(6, static_cast<int>(place));
  return {low, std::min(6, low + 1), place - low};
}

/// Entry (row, col) of a [7, 7] table resized to the grid.
double resizedEntry(const at::Tensor& table, const Grid& grid, int row, int col) {
  const Between r = betweenEntries(row, grid.rows), c = betweenEntries(col, grid.cols);
  const auto t = table.accessor<double, 2>();
  const double upper = (1 - c.share) * t[r.low][c.low] + c.share * t[r.low][c.high],
               lower = (1 - c.share) * t[r.high][c.low] + c.share * t[r.high][c.high];
  return (1 - r.share) * upper + r.share * lower;
}

/// The biases of a layer, entry by entry; all 0 without them.
class NaiveBiases {
 public:
  NaiveBiases(const AgentAttention& layer, const Grid& grid) : m_grid(grid) {
    const auto all = layer.named_parameters();
    for (const auto& item : all)
      if (item.key().ends_with("_bias"))
        m_biases[item.key()] = item.value().detach().to(at::kDouble).contiguous();
  }

  /// B₁ of an agent and a key.
  double ofKey(int head, int agent, int token) const {
    if (m_biases.empty()) return 0;
    const int patch = token - m_grid.prefix;
    if (patch < 0) return entry("ac_bias", {head, agent, token});
    const int row = patch / m_grid.cols, col = patch % m_grid.cols;
    return resizedEntry(m_biases.at("an_bias")[head][agent], m_grid, row, col) +
           entry("ah_bias", {head, agent, row, 0}) + entry("aw_bias", {head, agent, 0, col});
  }
  /// B₂ of a query and an agent.
  double ofQuery(int head, int agent, int token) const {
    if (m_biases.empty()) return 0;
    const int patch = token - m_grid.prefix;
    if (patch < 0) return entry("ca_bias", {head, token, agent});
    const int row = patch / m_grid.cols, col = patch % m_grid.cols;
    return resizedEntry(m_biases.at("na_bias")[head][agent], m_grid, row, col) +
           entry("ha_bias", {head, row, 0, agent}) + entry("wa_bias", {head, 0, col, agent});
  }

 private:
  double entry(const std::string& name, const std::vector<int>& place) const {
    at::Tensor value = m_biases.at(name);
    for (const int index : place)
      value = value[index];
    return value.item<double>();
  }

  Grid m_grid;
  std::map<std::string, at::Tensor> m_biases;
};

Rows naiveWeights(const LayerCase& c, const NaiveBiases& biases, int side, int head, const Rows& q,
                  const Rows& k) {
  const Rows agents = naiveAgents(q, c.grid, side);
  const double root = std::sqrt(double(c.headWidth));
  const int tokens = c.grid.tokens(), count = static_cast<int>(agents.size());
  Rows gathered, spread;
  for (int a = 0; a < count; ++a) {
    Row logits;
    for (int j = 0; j < tokens; ++j)
      logits.push_back(dotOf(agents[a], k[j]) / root + biases.ofKey(head, a, j));
    gathered.push_back(softmaxOf(logits));
  }
  for (int i = 0; i < tokens; ++i) {
    Row logits;
    for (int a = 0; a < count; ++a)
      logits.push_back(dotOf(q[i], agents[a]) / root + biases.ofQuery(head, a, i));
    spread.push_back(softmaxOf(logits));
  }
  return productOf(spread, gathered);
}

/// Biases are drawn wide, so that a mistake in them shows.
void widenBiases(AgentAttention& layer) {
  const at::NoGradGuard noGrad;
  for (auto& item : layer.named_parameters())
    if (item.key().ends_with("_bias")) item.value().mul_(40);
}

TEST(AgentAttention, EqualsItsNaiveReference) {
  const at::NoGradGuard noGrad;
  for (const LayerCase& c : layerCases())
    for (const bool biased : {true, false})
      for (const int side : {1, 2, 7}) {
        const auto layer = makeLayerOf<AgentAttention>(c, {{"biases", biased}, {"agents", side}});
        widenBiases(*layer);
        const NaiveBiases biases(*layer, c.grid);
        const at::Tensor x = c.tokens(), filters = parameterOf(*layer, "dwc.weight"),
                         bias = parameterOf(*layer, "dwc.bias");
        const NaiveHeads expected = naiveHeads(
            *layer, x, c.heads,
            [&](int h, const Rows& q, const Rows& k) {
              return naiveWeights(c, biases, side, h, q, k);
            },
            [&](int h, const Rows& v, Rows& y) {
              addConvolution(filters, bias, h * c.headWidth, c.grid, v, y);
            });
        CollectingHook tap;
        EXPECT_LT(gapOf(layer->forward(x, &tap), projectedHeads(*layer, expected.heads)),
                  kTolerance)
            << biased << " " << side;
        EXPECT_LT(gapOf(tap.maps.at(0), expected.map), kTolerance) << biased << " " << side;
        EXPECT_TRUE(layer->mapRowsSumToOne());
      }
}

TEST(AgentAttention, IsSoundWithEveryOption) {
  expectSoundLayer<AgentAttention>(Json::object());
  expectSoundLayer<AgentAttention>({{"agents", 2}, {"biases", false}, {"convolution", 5}});
}

TEST(AgentAttention, TimeAndMemoryAreLinear) {
  expectLinearInTokens<AgentAttention>({{"agents", 2}});
}

TEST(AgentAttention, TakesAnotherGridOnlyWithoutBiases) {
  const at::NoGradGuard noGrad;
  const LayerCase small{{3, 4, 1}, 2, 4}, large{{5, 6, 1}, 2, 4};
  const Json own{{"biases", false}, {"agents", 2}};
  const auto moved = makeLayerOf<AgentAttention>(small, own),
             made = makeLayerOf<AgentAttention>(large, own);
  moved->setGrid(large.grid);
  const at::Tensor x = large.tokens();
  EXPECT_TRUE(at::equal(moved->forward(x, nullptr), made->forward(x, nullptr)));
  const auto biased = makeLayerOf<AgentAttention>(small, Json::object());
  EXPECT_EQ(pathOfRefusal([&] { biased->setGrid(large.grid); }), "model.mechanism");
}

TEST(AgentAttention, CountsFourProductsOfAgents) {
  const LayerCase c{{10, 10, 1}, 2, 32};
  const std::int64_t linear = 4 * 64 * 64, taps = 9 * 64 * 100;
  EXPECT_EQ(macsBeside<AgentAttention>(c, Json::object(), linear), 4 * 49 * 101 * 64 + taps);
  EXPECT_EQ(macsBeside<AgentAttention>(c, {{"agents", 20}}, linear), 4 * 100 * 101 * 64 + taps);
}

TEST(AgentAttention, RefusesNonsenseAndMasks) {
  const LayerCase c{{3, 3, 1}, 2, 4};
  const auto refused = [&](const Json& own) {
    return pathOfRefusal([&] { makeLayerOf<AgentAttention>(c, own); });
  };
  EXPECT_EQ(refused({{"agents", 0}}), "model.attention.agents");
  EXPECT_EQ(refused({{"convolution", 2}}), "model.attention.convolution");
  EXPECT_EQ(refused({{"biases", 1}}), "model.attention.biases");
  const auto layer = makeLayerOf<AgentAttention>(c, Json::object());
  EXPECT_EQ(pathOfRefusal([&] { layer->setMasks(masksOf({"hard:3", "none"})); }), "masks");
  EXPECT_FALSE(findMechanism("agent").variant.maskable);
}

}  // namespace headlight::agent_attention_test
