// SPDX-License-Identifier: GPL-3.0-or-later

// Linear-angular attention and the other kernels of Castling-ViT's Table 5 against a deliberately
// naive double-precision reference: every similarity formed, loops, none of core's code.

#include "core/attention/linear/LinearAngular.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/attention/Mechanisms.h"
#include "core/attention/linear/LinearKernels.h"
#include "core/models/backbones/Model.h"
#include "tests/attention/Gradients.h"

namespace headlight::linear_angular_test {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

const std::vector<std::string> kKernels{"linear_angular", "cosine",  "softmax",
                                        "mean_centering", "relu_s",  "relu_e",
                                        "half_sum",       "angular", "angular_series"};

/// Whether similarities can be negative.
bool isSigned(const std::string& kernel) {
  return kernel == "linear_angular" || kernel == "cosine" || kernel == "mean_centering";
}

/// Rows of the output to unit length; the others have denominators.
bool hasUnitRows(const std::string& kernel) {
  return kernel != "softmax" && kernel != "mean_centering" && kernel != "relu_e";
}

/// Eq. 8 with `terms` of its sum, factorial by factorial.
double naiveSeries(double cosine, int terms) {
  double sum = 0.5 + cosine / M_PI;
  for (int k = 1; k <= terms; ++k)
    sum += std::exp(std::lgamma(2 * k + 1) - 2 * k * std::log(2.0) - 2 * std::lgamma(k + 1)) /
           (2 * k + 1) * std::pow(cosine, 2 * k + 1) / M_PI;
  return sum;
}

struct Case {
  Grid grid;
  int heads, headWidth;
  std::string residual = "tokens";
  int residualKernel = 9;
};

std::vector<Case> cases() {
  return {{{3, 3, 1}, 1, 4},
          {{4, 6, 1}, 3, 8, "grid", 3},
          {{5, 3, 0}, 2, 5, "tokens", 5},
          {{2, 7, 2}, 2, 6, "grid", 5},
          {{3, 5, 0}, 4, 3, "none"}};
}

Json optionsOf(const Case& c, const std::string& kernel = "linear_angular") {
  return {{"kernel", kernel},
          {"residual", c.residual},
          {"residual_kernel", c.residualKernel},
          {"epsilon", 1.0 / c.grid.tokens()}};  // about half of the weights are above it
}

std::shared_ptr<LinearAngular> makeLayer(const Case& c, const Json& options,
                                         at::ScalarType type = at::kFloat) {
  seedTorch(11);
  auto layer = std::make_shared<LinearAngular>(AttentionOptions{.layer = 0,
                                                                .width = c.heads * c.headWidth,
                                                                .heads = c.heads,
                                                                .grid = c.grid,
                                                                .options = options});
  layer->to(type);
  return layer;
}

Rows rowsOf(const at::Tensor& matrix) {
  const at::Tensor m = matrix.to(at::kDouble).contiguous();
  Rows rows(m.size(0), Row(m.size(1)));
  for (std::int64_t i = 0; i < m.size(0); ++i)
    for (std::int64_t j = 0; j < m.size(1); ++j)
      rows[i][j] = m.accessor<double, 2>()[i][j];
  return rows;
}

double dot(const Row& a, const Row& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += a[i] * b[i];
  return sum;
}

double length(const Row& a) {
  return std::sqrt(dot(a, a));
}

/// softmax over the entries of one row.
Row softmaxOf(const Row& a) {
  Row result;
  double sum = 0;
  for (const double x : a)
    sum += std::exp(x);
  for (const double x : a)
    result.push_back(std::exp(x) / sum);
  return result;
}

double reluDot(const Row& a, const Row& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += std::max(a[i], 0.0) * std::max(b[i], 0.0);
  return sum;
}

/// The weights of one head, token by token, as the kernels' papers define them.
Rows naiveWeights(const std::string& kernel, const Rows& q, const Rows& k) {
  const std::size_t tokens = q.size(), width = q[0].size();
  Rows weights(tokens, Row(tokens));
  Row keyMean(width), keySums(width);
  for (const Row& row : k)
    for (std::size_t f = 0; f < width; ++f) {
      keyMean[f] += row[f] / double(tokens);
      keySums[f] += std::exp(row[f]);
    }
  for (std::size_t i = 0; i < tokens; ++i) {
    double denominator = 0;
    for (std::size_t j = 0; j < tokens; ++j) {
      double& w = weights[i][j];
      const double cosine = dot(q[i], k[j]) / (length(q[i]) * length(k[j]));
      if (kernel == "linear_angular") {
        w = (i == j ? 0.5 : 0.0) + cosine / M_PI;
      } else if (kernel == "cosine") {
        w = cosine;
      } else if (kernel == "half_sum") {
        w = naiveSeries(cosine, 0);
      } else if (kernel == "angular") {
        w = 1 - std::acos(std::clamp(cosine, -1.0, 1.0)) / M_PI;
      } else if (kernel == "angular_series") {
        w = naiveSeries(cosine, 1);
      } else if (kernel == "softmax") {
        const Row features = softmaxOf(q[i]);
        for (std::size_t f = 0; f < width; ++f)
          w += features[f] * std::exp(k[j][f]) / keySums[f];
      } else if (kernel == "mean_centering") {
        Row centerd = k[j];
        for (std::size_t f = 0; f < width; ++f)
          centerd[f] -= keyMean[f];
        w = 1 + dot(q[i], centerd) / std::sqrt(double(width));
      } else {
        w = reluDot(q[i], k[j]);
      }
      denominator += w;
    }
    if (kernel == "mean_centering" || (kernel == "relu_e" && denominator > 0))
      for (double& w : weights[i])
        w /= denominator;
  }
  return weights;
}

/// Z ⊙ [Z > ε] (Eq. 10).
Rows naiveAuxiliary(const Rows& q, const Rows& k, double epsilon) {
  Rows result;
  for (const Row& query : q) {
    Row logits;
    for (const Row& key : k)
      logits.push_back(dot(query, key) / std::sqrt(double(query.size())));
    result.push_back(softmaxOf(logits));
    for (double& z : result.back())
      if (z <= epsilon) z = 0;
  }
  return result;
}

/// weights·V, rows to unit length where the kernel brings no denominator.
Rows naiveMix(const std::string& kernel, const Rows& weights, const Rows& v) {
  Rows result;
  for (const Row& row : weights) {
    Row y(v[0].size());
    for (std::size_t j = 0; j < v.size(); ++j)
      for (std::size_t f = 0; f < y.size(); ++f)
        y[f] += row[j] * v[j][f];
    const double norm = length(y);
    if (hasUnitRows(kernel))
      for (double& value : y)
        value = norm > 0 ? value / norm : 0;
    result.push_back(y);
  }
  return result;
}

/// Adds DW(V), tap by tap. `taps` is the head's filter, [K, 1] or [K, K].
void addResidual(const Case& c, const Rows& taps, const Rows& v, Rows& y) {
  const int half = c.residualKernel / 2, tokens = c.grid.tokens();
  for (int t = 0; t < tokens; ++t)
    for (std::size_t f = 0; f < v[0].size(); ++f) {
      if (c.residual == "tokens") {
        for (int o = -half; o <= half; ++o)
          if (t + o >= 0 && t + o < tokens) y[t][f] += taps[o + half][0] * v[t + o][f];
        continue;
      }
      const int patch = t - c.grid.prefix, row = patch / c.grid.cols, col = patch % c.grid.cols;
      if (patch < 0) continue;
      for (int a = -half; a <= half; ++a)
        for (int b = -half; b <= half; ++b)
          if (row + a >= 0 && row + a < c.grid.rows && col + b >= 0 && col + b < c.grid.cols)
            y[t][f] +=
                taps[a + half][b + half] * v[c.grid.prefix + (row + a) * c.grid.cols + col + b][f];
    }
}

struct Expected {
  at::Tensor output, map;  ///< [B, T, D], [B, H, T, T]; double
  double nonzeros = 0;
};

Expected naive(const Case& c, const std::string& kernel, LinearAngular& layer, const at::Tensor& x,
               double epsilon, bool auxiliary) {
  const auto p = layer.named_parameters();
  const auto parameter = [&](const std::string& name) { return p[name].detach().to(at::kDouble); };
  const at::Tensor qkv =
      at::linear(x.to(at::kDouble), parameter("qkv.weight"), parameter("qkv.bias"));
  const int tokens = c.grid.tokens(), d = c.headWidth, width = c.heads * d;
  Expected expected{at::zeros({x.size(0), tokens, width}, at::kDouble),
                    at::zeros({x.size(0), c.heads, tokens, tokens}, at::kDouble)};
  for (int b = 0; b < x.size(0); ++b)
    for (int h = 0; h < c.heads; ++h) {
      const auto part = [&](int which) {
        return rowsOf(qkv[b].slice(1, which * width + h * d, which * width + (h + 1) * d));
      };
      const Rows q = part(0), k = part(1), v = part(2);
      Rows weights = naiveWeights(kernel, q, k);
      if (auxiliary) {
        const Rows extra = naiveAuxiliary(q, k, epsilon);
        for (int i = 0; i < tokens; ++i)
          for (int j = 0; j < tokens; ++j) {
            weights[i][j] += extra[i][j];
            expected.nonzeros += extra[i][j] > 0;
          }
      }
      Rows y = naiveMix(kernel, weights, v);
      if (c.residual != "none") addResidual(c, rowsOf(parameter("dconv.weight")[h][0]), v, y);
      for (int i = 0; i < tokens; ++i) {
        for (int j = 0; j < tokens; ++j)
          expected.map[b][h][i][j] = weights[i][j];
        for (int f = 0; f < d; ++f)
          expected.output[b][i][h * d + f] = y[i][f];
      }
    }
  expected.nonzeros /= double(x.size(0) * c.heads * tokens * tokens);
  expected.output = at::linear(expected.output, parameter("proj.weight"), parameter("proj.bias"));
  return expected;
}

double gap(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

double reading(const Attention& layer, const std::string& name) {
  for (const auto& [known, value] : layer.readings())
    if (known == name) return value;
  return NAN;
}

/// Nothing negative, and every row sums to 1 or is 0.
bool isStochastic(const at::Tensor& map) {
  const at::Tensor sums = map.sum(-1);
  return map.min().item<double>() >= 0 &&
         at::logical_or((sums - 1).abs() < 1e-6, sums == 0).all().item<bool>();
}

TEST(LinearAngular, EveryKernelEqualsItsNaiveReference) {
  constexpr double kTolerance = 1e-5;  // float32 against double
  const at::NoGradGuard noGrad;
  for (const Case& c : cases())
    for (const std::string& kernel : kKernels) {
      // The slope of θ magnifies the rounding of cosines near ±1.
      const double tolerance = kernel == "angular" ? 1e-4 : kTolerance;
      const Json options = optionsOf(c, kernel);
      const auto layer = makeLayer(c, options);
      layer->eval();
      const at::Tensor x = at::randn({2, c.grid.tokens(), c.heads * c.headWidth}) * 2;
      for (const bool withoutBranch : {false, true}) {
        layer->auxiliary().setBranchDropped(withoutBranch);
        CollectingHook tap;
        const at::Tensor output = layer->forward(x, &tap);
        const Expected expected =
            naive(c, kernel, *layer, x, options["epsilon"].get<double>(), !withoutBranch);
        EXPECT_LT(gap(output, expected.output), tolerance) << kernel << " " << withoutBranch;
        EXPECT_LT(gap(tap.maps.at(0), expected.map), tolerance) << kernel << " " << withoutBranch;
        EXPECT_LT(gap(output, layer->forward(x, nullptr)), 1e-6) << "the tap changed something";
        EXPECT_EQ(layer->mapRowsSumToOne(), withoutBranch && isStochastic(expected.map)) << kernel;
        if (withoutBranch) continue;
        EXPECT_NEAR(reading(*layer, "nonzeros"), expected.nonzeros, 1e-6);
        EXPECT_GT(expected.nonzeros, 0.1);
        EXPECT_LT(expected.nonzeros, 0.9);
        EXPECT_EQ(layer->mapIsSigned(), isSigned(kernel)) << kernel;
        EXPECT_TRUE(layer->mapIsSigned() || tap.maps.at(0).min().item<float>() >= 0);
      }
    }
}

TEST(LinearAngular, GradientsAreFiniteDifferencesAndEveryParameterHasOne) {
  for (const Case& c : cases())
    for (const std::string& kernel : kKernels) {
      const auto layer = makeLayer(c, optionsOf(c, kernel), at::kDouble);
      const at::Tensor x =
          at::randn({2, c.grid.tokens(), c.heads * c.headWidth}, at::kDouble).requires_grad_();
      const at::Tensor weights = at::randn_like(x);
      testing::expectFiniteDifferences(
          *layer, x, [&] { return (layer->forward(x, nullptr) * weights).sum(); });
    }
}

/// The paper's kernel alone, in linear time.
at::Tensor linearAngular(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                         const at::Tensor& extra = {}) {
  const LinearKernel& kernel = linearKernel("linear_angular");
  return kernel.apply(kernel.features(q, k), v, extra);
}

/// ½I + q̂k̂ᵀ/π, formed (½I only where there are as many queries as keys).
at::Tensor linearAngularMap(const at::Tensor& q, const at::Tensor& k) {
  const LinearKernel& kernel = linearKernel("linear_angular");
  return kernel.map(kernel.features(q, k));
}

TEST(LinearAngular, QTimesKVIsQKTimesV) {
  constexpr double kTolerance = 1e-5;
  for (const auto& [queries, keys] : {std::pair{37, 37}, {9, 36}, {1, 5}}) {
    const at::Tensor q = at::randn({2, 3, queries, 8}), k = at::randn({2, 3, keys, 8}),
                     v = at::randn({2, 3, keys, 12}), extra = at::randn({2, 3, queries, 12});
    const at::Tensor map = linearAngularMap(q, k);
    ASSERT_EQ(map.sizes(), (std::vector<std::int64_t>{2, 3, queries, keys}));
    for (const at::Tensor& more : {at::Tensor(), extra}) {
      at::Tensor y = at::matmul(map, v);
      if (more.defined()) y = y + more;
      y = y / y.norm(2, {-1}, true);
      EXPECT_LT(gap(linearAngular(q, k, v, more), y), kTolerance);
    }
  }
}

TEST(LinearAngular, TheSeriesHasTheTermsThatAreAskedFor) {
  const at::Tensor q = at::randn({1, 1, 7, 4}, at::kDouble), k = at::randn_like(q);
  const Rows queries = rowsOf(q[0][0]), keys = rowsOf(k[0][0]);
  for (const int terms : {0, 1, 2, 5, 64}) {
    const LinearKernel kernel = angularSeries(terms);
    const Rows map = rowsOf(kernel.map(kernel.features(q, k))[0][0]);
    for (std::size_t i = 0; i < 7; ++i)
      for (std::size_t j = 0; j < 7; ++j) {
        const double cosine = dot(queries[i], keys[j]) / (length(queries[i]) * length(keys[j]));
        EXPECT_NEAR(map[i][j], naiveSeries(cosine, terms), 1e-12) << terms;
        // What is left out is at most the first factor left times a geometric sum.
        const double square = cosine * cosine, left = std::pow(square, terms + 1) / (1 - square);
        EXPECT_LE(std::abs(map[i][j] - (1 - std::acos(cosine) / M_PI)), left + 1e-12) << terms;
      }
  }
}

TEST(LinearAngular, TheSeriesTakesItsTermsFromTheOptions) {
  const at::NoGradGuard noGrad;
  const Case c{{3, 3, 1}, 1, 4, "none"};
  const auto mapFor = [&](const std::string& kernel, int terms) {
    const auto layer = makeLayer(
        c, {{"kernel", kernel}, {"terms", terms}, {"residual", "none"}, {"auxiliary", false}},
        at::kDouble);
    CollectingHook tap;
    layer->forward(at::ones({1, 10, 4}, at::kDouble) + at::eye(10, 4, at::kDouble), &tap);
    return tap.maps.at(0);
  };
  const at::Tensor whole = mapFor("angular", 1);
  double last = gap(mapFor("half_sum", 1), whole);
  for (const int terms : {1, 4, 16}) {
    const double error = gap(mapFor("angular_series", terms), whole);
    EXPECT_LT(error, last) << terms;
    last = error;
  }
}

/// To the letter, Eq. 8 adds ½ of all values; the released form ½ of a token's own.
TEST(LinearAngular, HalfTheSumIsWhatTheReleasedFormLeavesOut) {
  const at::Tensor q = at::randn({2, 3, 11, 5}, at::kDouble), k = at::randn_like(q),
                   v = at::randn_like(q);
  at::Tensor letter, released;
  for (auto& [name, mixed] :
       {std::pair<const char*, at::Tensor*>{"half_sum", &letter}, {"linear_angular", &released}}) {
    const LinearKernel& kernel = linearKernel(name);
    kernel.apply(kernel.features(q, k), v, {}, mixed);
  }
  const at::Tensor others = v.sum(-2, /*keepdim=*/true) - v;
  EXPECT_LT(gap(letter - released, others / 2), 1e-12);
}

/// The slope of an angle has no bound where vectors are parallel.
TEST(LinearAngular, AnglesOfParallelVectorsHaveFiniteGradients) {
  const LinearKernel& kernel = linearKernel("angular");
  for (const double sign : {1.0, -1.0}) {
    const at::Tensor q = at::randn({1, 1, 4, 3}).requires_grad_();
    const at::Tensor map = kernel.features(q, sign * q.detach()).query;
    map.sum().backward();
    EXPECT_TRUE(q.grad().isfinite().all().item<bool>());
    for (int i = 0; i < 4; ++i)
      EXPECT_NEAR(map[0][0][i][i].item<double>(), sign > 0 ? 1 : 0, 1e-3);
  }
}

TEST(LinearAngular, WithoutAuxiliaryBranchTimeAndMemoryAreLinear) {
  // 65536 tokens: one T × T tensor of one head would take 16 GiB.
  const Case c{{256, 256, 0}, 2, 4};
  const auto layer = makeLayer(c, {{"without_branch", true}});
  layer->eval();
  const at::NoGradGuard noGrad;
  const at::Tensor output = layer->forward(at::randn({1, c.grid.tokens(), 8}), nullptr);
  EXPECT_TRUE(output.isfinite().all().item<bool>());
}

TEST(LinearAngular, CastlingChangesNothingExactlyWhereNoNonzeroIsLeft) {
  const Case c{{4, 4, 1}, 2, 8};
  const at::Tensor x = at::randn({2, 17, 16});
  const at::NoGradGuard noGrad;
  for (const double epsilon : {1.0, 1.0 / 17}) {
    const auto layer = makeLayer(c, {{"epsilon", epsilon}});
    layer->eval();
    const at::Tensor before = layer->forward(x, nullptr);
    const double nonzeros = reading(*layer, "nonzeros");
    layer->auxiliary().setBranchDropped(true);
    const at::Tensor after = layer->forward(x, nullptr);
    EXPECT_TRUE(std::isnan(reading(*layer, "nonzeros")));  // Z was not even formed
    EXPECT_EQ(at::equal(before, after), nonzeros == 0);
    EXPECT_EQ(nonzeros == 0, epsilon == 1.0);
    // Training keeps the branch; a tapped pass counts without using it.
    layer->train();
    EXPECT_TRUE(at::equal(layer->forward(x, nullptr), before));
    EXPECT_EQ(reading(*layer, "nonzeros"), nonzeros);
    layer->eval();
    CollectingHook tap;
    EXPECT_TRUE(at::equal(layer->forward(x, &tap), after));
    EXPECT_EQ(reading(*layer, "nonzeros"), nonzeros);
  }
  const auto without = makeLayer(c, {{"auxiliary", false}});
  without->forward(x, nullptr);
  EXPECT_TRUE(without->readings().empty());
}

TEST(LinearAngular, EpsilonFollowsItsSchedule) {
  const auto epsilonAt = [](const std::string& schedule, double fraction) {
    LinearAngularOptions options;
    options.epsilon = 0.02;
    options.epsilonEnd = 0.1;
    options.epsilonSchedule = schedule;
    AuxiliaryBranch branch(options);
    if (fraction >= 0) branch.setProgress(fraction);
    return branch.epsilon();
  };
  for (const double fraction : {-1.0, 0.0, 0.3, 1.0})
    EXPECT_DOUBLE_EQ(epsilonAt("fixed", fraction), 0.02);
  EXPECT_DOUBLE_EQ(epsilonAt("linear", 0), 0.02);
  EXPECT_DOUBLE_EQ(epsilonAt("linear", 0.25), 0.04);
  EXPECT_DOUBLE_EQ(epsilonAt("linear", 1), 0.1);
  EXPECT_DOUBLE_EQ(epsilonAt("cosine", 0), 0.02);
  EXPECT_NEAR(epsilonAt("cosine", 0.25), 0.06 - 0.04 * std::cos(M_PI / 4), 1e-12);
  EXPECT_NEAR(epsilonAt("cosine", 0.5), 0.06, 1e-12);
  EXPECT_DOUBLE_EQ(epsilonAt("cosine", 1), 0.1);
  EXPECT_DOUBLE_EQ(epsilonAt("linear", -1), 0.1);  // nobody trains it: training is over
  EXPECT_DOUBLE_EQ(epsilonAt("linear", 7), 0.1);
}

TEST(LinearAngular, ProgressReachesTheLayerAndItsReadings) {
  const Case c{{4, 4, 1}, 2, 8};
  const auto layer =
      makeLayer(c, {{"epsilon", 0.0}, {"epsilon_end", 1.0}, {"epsilon_schedule", "linear"}});
  const at::Tensor x = at::randn({1, 17, 16});
  double last = 2;
  for (const double fraction : {0.0, 0.05, 0.06, 1.0}) {
    layer->setProgress(fraction);
    layer->forward(x, nullptr);
    EXPECT_DOUBLE_EQ(reading(*layer, "epsilon"), fraction);
    EXPECT_LT(reading(*layer, "nonzeros"), last);
    last = reading(*layer, "nonzeros");
  }
  EXPECT_EQ(last, 0);
}

TEST(LinearAngular, ZerosStayFinite) {
  const at::Tensor zero = at::zeros({1, 1, 3, 4}).requires_grad_();
  const at::Tensor y = linearAngular(zero, zero, zero);
  EXPECT_TRUE(at::equal(y, at::zeros_like(y)));
  y.sum().backward();
  EXPECT_TRUE(zero.grad().isfinite().all().item<bool>());
}

TEST(LinearAngular, CountsWhatItBuilds) {
  for (const Case& c : cases()) {
    CostCounter counter;
    const AttentionOptions options{
        .width = c.heads * c.headWidth, .heads = c.heads, .grid = c.grid, .options = optionsOf(c)};
    LinearAngular::count(counter, options);
    std::int64_t parameters = 0;
    for (const at::Tensor& parameter : makeLayer(c, optionsOf(c))->parameters())
      parameters += parameter.numel();
    EXPECT_EQ(counter.cost().parameters, parameters);
  }
  // Without the branch, attention costs T·d² twice a head instead of T²·d.
  const auto macs = [](bool withoutBranch, const std::string& kernel = "linear_angular") {
    CostCounter counter;
    LinearAngular::count(
        counter,
        {.width = 64,
         .heads = 2,
         .grid = {10, 10, 0},
         .options = {{"kernel", kernel}, {"without_branch", withoutBranch}, {"residual", "none"}}});
    return counter.cost().macs - 4 * 100 * 64 * 64;
  };
  EXPECT_EQ(macs(true), 2 * 2 * 100 * 32 * 32);
  EXPECT_EQ(macs(false) - macs(true), 2 * 100 * 100 * 64);
  EXPECT_EQ(macs(true, "half_sum"), 2 * 2 * 100 * 33 * 32);
  for (const char* kernel : {"angular", "angular_series"})
    EXPECT_EQ(macs(true, kernel), 2 * 100 * 100 * 64) << kernel;
}

TEST(LinearAngular, RefusesNonsenseAndMasks) {
  const Case c{{3, 3, 1}, 2, 4};
  const auto pathOf = [&](const Json& options) -> std::string {
    try {
      makeLayer(c, options);
    } catch (const Failure& failure) {
      return failure.error().where;
    }
    return "";
  };
  EXPECT_EQ(pathOf({{"residual_kernel", 4}}), "model.attention.residual_kernel");
  EXPECT_EQ(pathOf({{"kernel", "sine"}}), "model.attention.kernel");
  EXPECT_EQ(pathOf({{"kernel", "angular_series"}, {"terms", 0}}), "model.attention.terms");
  EXPECT_EQ(pathOf({{"epsilon", -0.1}}), "model.attention.epsilon");
  EXPECT_EQ(pathOf({{"epsilon_schedule", "step"}}), "model.attention.epsilon_schedule");
  EXPECT_EQ(pathOf({{"castle", true}}), "model.attention.castle");
  EXPECT_EQ(pathOf(Json::object()), "");
  const auto layer = makeLayer(c, Json::object());
  EXPECT_THROW(layer->setMasks({*headMaskFromText("hard:3"), {}}), Failure);
  layer->setMasks({{}, {}});
  EXPECT_FALSE(findMechanism("linear_angular").variant.maskable);
}

}  // namespace headlight::linear_angular_test
