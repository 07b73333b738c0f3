// SPDX-License-Identifier: GPL-3.0-or-later

// The linear probe: what is chosen, and what is folded into its weights. k-NN against plain loops.

#include "core/workbench/adapt/ProbeFit.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/data/Subset.h"
#include "core/workbench/adapt/AccuracyInterval.h"
#include "core/workbench/adapt/AdaptOptions.h"
#include "core/workbench/adapt/LogisticProblem.h"
#include "core/workbench/adapt/NeighborVotes.h"

namespace headlight {
namespace {

/// Features far from mean 0 and variance 1; the last never changes.
ProbeRequest probeRequest(std::int64_t images = 90) {
  at::manual_seed(11);
  ProbeRequest request;
  request.classes = 3;
  request.strengths = {0.001, 1, 0.03};
  for (std::int64_t i = 0; i < images; ++i)
    request.labels.push_back(static_cast<int>(i % 3));
  const std::vector<std::int64_t> wide(request.labels.begin(), request.labels.end());
  const at::Tensor kinds = at::tensor(wide, at::kLong).to(at::kDouble).unsqueeze(1);
  const at::Tensor noise = at::randn({images, 4}, at::kDouble);
  const at::Tensor scales = at::tensor({500.0, 0.01, 3.0, 0.0}, at::kDouble);
  request.features = (noise + kinds * at::tensor({0.8, -0.5, 0.0, 0.0}, at::kDouble)) * scales +
                     at::tensor({4000.0, -2.0, 0.5, 7.0}, at::kDouble);
  return request;
}

/// By loops: the mean and deviation of a column.
std::pair<double, double> naiveSpread(const at::Tensor& features, std::int64_t column) {
  double sum = 0, squares = 0;
  const std::int64_t count = features.size(0);
  for (std::int64_t i = 0; i < count; ++i)
    sum += features[i][column].item<double>();
  const double mean = sum / static_cast<double>(count);
  for (std::int64_t i = 0; i < count; ++i)
    squares += std::pow(features[i][column].item<double>() - mean, 2);
  return {mean, std::sqrt(squares / static_cast<double>(count))};
}

at::Tensor naivelyNormalized(const at::Tensor& features) {
  at::Tensor values = features.clone();
  for (std::int64_t d = 0; d < features.size(1); ++d) {
    const auto [mean, deviation] = naiveSpread(features, d);
    for (std::int64_t i = 0; i < features.size(0); ++i)
      values[i][d] = deviation > 1e-9 ? (features[i][d].item<double>() - mean) / deviation : 0.0;
  }
  return values;
}

at::Tensor probeLabels(const std::vector<int>& labels) {
  const std::vector<std::int64_t> wide(labels.begin(), labels.end());
  return at::tensor(wide, at::kLong);
}

TEST(ProbeFits, FoldTheNormalizationIntoTheWeights) {
  ProbeRequest request = probeRequest();
  request.strengths = {0.05};
  const ProbeFit fit = fitProbe(request);
  EXPECT_TRUE(fit.tried.empty());  // nothing to choose
  EXPECT_DOUBLE_EQ(fit.l2, 0.05);
  EXPECT_TRUE(fit.converged);
  const at::Tensor normalized = naivelyNormalized(request.features);
  const LogisticProblem problem(normalized, probeLabels(request.labels), 3);
  const at::Tensor point = problem.minimize({.l2 = 0.05, .tolerance = 1e-9}).point;
  const at::Tensor wanted = at::mm(normalized, point.slice(1, 0, 4).t()) + point.select(1, 4);
  const at::Tensor found = at::mm(request.features, fit.weight.t()) + fit.bias;
  EXPECT_LT((found - wanted).abs().max().item<double>(), 1e-4);
}

TEST(ProbeFits, ChooseThePenaltyThatDoesBestOnImagesKeptAside) {
  const ProbeRequest request = probeRequest();
  const ProbeFit fit = fitProbe(request);
  ASSERT_EQ(fit.tried.size(), 3u);
  EXPECT_DOUBLE_EQ(fit.tried[0].l2, 1);  // the greatest first
  EXPECT_DOUBLE_EQ(fit.tried[2].l2, 0.001);
  const auto held = stratifiedSplit(request.labels, request.selection, 0, Split::Validation);
  EXPECT_EQ(held.size(), 18u);
  const at::Tensor normalized = naivelyNormalized(request.features);
  const at::Tensor kept =
      at::tensor(stratifiedSplit(request.labels, request.selection, 0, Split::Train), at::kLong);
  const at::Tensor labels = probeLabels(request.labels);
  const LogisticProblem problem(normalized.index_select(0, kept), labels.index_select(0, kept), 3);
  const TriedStrength* best = nullptr;
  for (const TriedStrength& tried : fit.tried) {
    const at::Tensor point = problem.minimize({.l2 = tried.l2, .tolerance = 1e-9}).point;
    double right = 0, loss = 0;
    for (const std::int64_t i : held) {
      const at::Tensor logits = at::mv(point.slice(1, 0, 4), normalized[i]) + point.select(1, 4);
      const int label = request.labels[static_cast<std::size_t>(i)];
      right += logits.argmax().item<std::int64_t>() == label;
      loss -= at::log_softmax(logits, 0)[label].item<double>();
    }
    EXPECT_NEAR(tried.loss, loss / 18, 2e-3) << tried.l2;
    EXPECT_NEAR(tried.top1, right / 18, 1.0 / 18 + 1e-9) << tried.l2;
    const bool better =
        !best || tried.top1 > best->top1 || (tried.top1 == best->top1 && tried.loss < best->loss);
    if (better) best = &tried;
  }
  EXPECT_DOUBLE_EQ(fit.l2, best->l2);
}

TEST(ProbeFits, OneImageAClassTakesTheMiddlePenalty) {
  const ProbeFit fit = fitProbe(probeRequest(3));
  EXPECT_TRUE(fit.tried.empty());
  EXPECT_DOUBLE_EQ(fit.l2, 0.03);
  EXPECT_TRUE(fit.weight.isfinite().all().item<bool>());
}

/// DINO's vote, by loops.
std::vector<double> naiveVotes(const at::Tensor& features, const std::vector<int>& labels,
                               const at::Tensor& query, int neighbors, double temperature) {
  std::vector<std::pair<double, int>> cosines;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    double along = 0, own = 0, other = 0;
    for (std::int64_t d = 0; d < features.size(1); ++d) {
      const double a = features[static_cast<std::int64_t>(i)][d].item<double>();
      const double b = query[d].item<double>();
      along += a * b;
      own += a * a;
      other += b * b;
    }
    cosines.emplace_back(along / std::sqrt(own * other), labels[i]);
  }
  std::sort(cosines.begin(), cosines.end(),
            [](const auto& a, const auto& b) { return a.first > b.first; });
  cosines.resize(std::min<std::size_t>(cosines.size(), static_cast<std::size_t>(neighbors)));
  std::vector<double> votes(3, 0.0);
  double sum = 0;
  for (const auto& [cosine, label] : cosines) {
    votes[static_cast<std::size_t>(label)] += std::exp(cosine / temperature);
    sum += std::exp(cosine / temperature);
  }
  for (double& vote : votes)
    vote /= sum;
  return votes;
}

TEST(NeighborVote, IsThatOfPlainLoops) {
  at::manual_seed(3);
  const at::Tensor features = at::randn({130, 5}, at::kDouble);
  const at::Tensor queries = at::randn({7, 5}, at::kDouble);
  std::vector<int> labels;
  for (int i = 0; i < 130; ++i)
    labels.push_back((i * 5) % 3);
  for (const int neighbors : {1, 4, 20, 64, 65, 300})
    for (const double temperature : {0.07, 1.0}) {
      const at::Tensor votes =
          neighborVotes(features, probeLabels(labels), queries, 3, {neighbors, temperature});
      for (std::int64_t q = 0; q < 7; ++q) {
        const auto wanted = naiveVotes(features, labels, queries[q], neighbors, temperature);
        for (std::int64_t c = 0; c < 3; ++c)
          EXPECT_NEAR(votes[q][c].item<double>(), wanted[static_cast<std::size_t>(c)], 1e-10);
      }
    }
}

/// Cosines that differ by less than float32 can tell, in an order that it does not keep.
TEST(NeighborVote, TellsApartWhatFloat32DoesNot) {
  at::Tensor features = at::ones({12, 2}, at::kDouble);
  for (int i = 0; i < 12; ++i)
    features[i][1] = 1 + 1e-9 * ((i * 5 + 1) % 12);
  const at::Tensor query = at::tensor({1.0, 0.0}, at::kDouble).unsqueeze(0);
  const at::Tensor votes = neighborVotes(features, at::arange(12, at::kLong), query, 12, {1, 0.07});
  EXPECT_EQ(votes.argmax().item<std::int64_t>(), 7) << "the least of the second features";
}

TEST(NeighborVote, BearsATinyTemperature) {
  const at::Tensor features = at::eye(3, at::kDouble);
  const at::Tensor votes =
      neighborVotes(features, at::arange(3, at::kLong), features, 3, {3, 0.001});
  EXPECT_LT((votes - features).abs().max().item<double>(), 1e-9);
}

TEST(AccuracyIntervals, AreWilsons) {
  // Newcombe (1998), table I: 81 of 263 and 15 of 148, method 3.
  EXPECT_NEAR(wilsonInterval(81, 263).low, 0.2553, 5e-5);
  EXPECT_NEAR(wilsonInterval(81, 263).high, 0.3662, 5e-5);
  EXPECT_NEAR(wilsonInterval(15, 148).low, 0.0624, 5e-5);
  EXPECT_NEAR(wilsonInterval(15, 148).high, 0.1605, 5e-5);
  EXPECT_DOUBLE_EQ(wilsonInterval(0, 20).low, 0);
  EXPECT_NEAR(wilsonInterval(0, 20).high, 0.1611, 5e-5);
  EXPECT_DOUBLE_EQ(wilsonInterval(20, 20).high, 1);
  EXPECT_DOUBLE_EQ(wilsonInterval(0, 0).high, 1);
}

TEST(AdaptStrengths, AreNumbersAboveNothing) {
  EXPECT_EQ(*readStrengths("1, 0.1,1e-3"), (std::vector<double>{1, 0.1, 1e-3}));
  for (const char* text : {"", "0", "-1", "1,", "a", "1;2", "1,nan", "1e999"})
    EXPECT_FALSE(readStrengths(text)) << text;
}

}  // namespace
}  // namespace headlight
